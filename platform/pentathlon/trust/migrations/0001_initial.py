import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("bots", "0001_initial"),
        ("fleet", "0001_initial"),
        ("matches", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="SpotCheck",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("open", "is played"),
                            ("agreed", "agreed"),
                            ("outvoted", "a worker was outvoted"),
                            ("disputed", "nobody could decide"),
                            ("unproven", "proves nothing"),
                        ],
                        default="open",
                        max_length=8,
                    ),
                ),
                ("reason", models.CharField(blank=True, max_length=300)),
                (
                    "created_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False
                    ),
                ),
                ("ended_at", models.DateTimeField(null=True)),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("state", "open")),
                        fields=["id"],
                        name="trust_open_checks",
                    ),
                    models.Index(
                        condition=models.Q(("state", "disputed")),
                        fields=["-id"],
                        name="trust_disputed_checks",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="CheckRun",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "check_of",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="runs",
                        to="trust.spotcheck",
                    ),
                ),
                ("number", models.PositiveSmallIntegerField()),
                (
                    "match",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="check_run",
                        to="matches.match",
                    ),
                ),
                ("party", models.PositiveBigIntegerField()),
            ],
            options={
                "indexes": [models.Index(fields=["party", "-id"], name="trust_runs_of_party")],
                "constraints": [
                    models.UniqueConstraint(fields=("check_of", "number"), name="trust_run_number")
                ],
            },
        ),
        migrations.CreateModel(
            name="Quarantine",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "token",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="quarantines",
                        to="fleet.workertoken",
                    ),
                ),
                ("reason", models.CharField(max_length=300)),
                (
                    "check_of",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        to="trust.spotcheck",
                    ),
                ),
                ("after_attempt", models.PositiveBigIntegerField(default=0)),
                (
                    "began_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False
                    ),
                ),
                ("ended_at", models.DateTimeField(null=True)),
                (
                    "ended_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("end_reason", models.CharField(blank=True, max_length=300)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("ended_at", None)),
                        fields=("token",),
                        name="trust_one_quarantine",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Review",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "quarantine",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="reviews",
                        to="trust.quarantine",
                    ),
                ),
                (
                    "match",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="reviews",
                        to="matches.match",
                    ),
                ),
                (
                    "verdict",
                    models.CharField(
                        choices=[("keep", "kept"), ("revoke", "revoked")], max_length=6
                    ),
                ),
                ("reason", models.CharField(max_length=300)),
                (
                    "actor",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "decided_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False
                    ),
                ),
                ("is_carried_out", models.BooleanField(default=False)),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("is_carried_out", False)),
                        fields=["quarantine"],
                        name="trust_reviews_to_do",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("quarantine", "match"), name="trust_one_review"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="UnsteadyVersion",
            fields=[
                (
                    "version",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        serialize=False,
                        to="bots.botversion",
                    ),
                ),
                (
                    "found_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False
                    ),
                ),
            ],
        ),
    ]
