import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("bots", "0001_initial"),
        ("matches", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="Friendly",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="friendlies",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("seat", models.PositiveSmallIntegerField()),
                ("game", models.CharField(max_length=30)),
                ("rules_version", models.PositiveIntegerField()),
                ("options", models.JSONField(default=dict)),
                ("seed", models.BigIntegerField()),
                ("alias", models.CharField(max_length=40)),
                ("events", models.JSONField(default=list)),
                ("faults", models.JSONField(default=list)),
                ("ply", models.PositiveIntegerField(default=0)),
                ("given", models.PositiveIntegerField(default=0)),
                ("origin_chain", models.CharField(blank=True, max_length=64)),
                (
                    "origin_match",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="matches.match",
                    ),
                ),
                (
                    "origin_friendly",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="friendlies.friendly",
                    ),
                ),
                ("resigned_at", models.PositiveIntegerField(null=True)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("bot", "a bot is to move"),
                            ("person", "the person is to move"),
                            ("done", "done"),
                            ("void", "void"),
                        ],
                        max_length=8,
                    ),
                ),
                ("state_reason", models.CharField(blank=True, max_length=300)),
                ("host_faults", models.PositiveSmallIntegerField(default=0)),
                ("worker", models.CharField(blank=True, max_length=80)),
                ("token", models.UUIDField(null=True)),
                ("lease_until", models.DateTimeField(null=True)),
                ("begun_at", models.DateTimeField(null=True)),
                ("progressed_at", models.DateTimeField(null=True)),
                ("reached", models.PositiveIntegerField(default=0)),
                ("sent_at", models.DateTimeField(null=True)),
                ("sandbox", models.CharField(blank=True, max_length=20)),
                ("layers", models.JSONField(default=list)),
                ("outcome_reason", models.CharField(blank=True, max_length=30)),
                ("ranks", models.JSONField(null=True)),
                ("scores", models.JSONField(null=True)),
                ("chain", models.CharField(blank=True, max_length=64)),
                ("codec", models.CharField(blank=True, max_length=8)),
                ("data", models.BinaryField(null=True)),
                (
                    "created_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False
                    ),
                ),
                (
                    "moved_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                ("finished_at", models.DateTimeField(null=True)),
            ],
            options={
                "verbose_name_plural": "friendlies",
                "indexes": [
                    models.Index(fields=["person", "-id"], name="friendlies_of_person"),
                    models.Index(
                        condition=models.Q(("state__in", ("bot", "person"))),
                        fields=["state", "moved_at"],
                        name="friendlies_under_way",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="FriendlySeat",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "friendly",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="seats",
                        to="friendlies.friendly",
                    ),
                ),
                ("seat", models.PositiveSmallIntegerField()),
                (
                    "version",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="friendly_seats",
                        to="bots.botversion",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("friendly", "seat"), name="friendlies_one_per_seat"
                    )
                ],
            },
        ),
    ]
