import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("bots", "0001_initial"),
        ("tournaments", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="FieldLine",
            fields=[
                (
                    "entry",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="ladder_line",
                        serialize=False,
                        to="tournaments.entry",
                    ),
                ),
                ("met", models.JSONField(default=dict)),
                ("told", models.JSONField(null=True)),
            ],
        ),
        migrations.CreateModel(
            name="Ladder",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("key", models.SlugField(max_length=40, unique=True)),
                ("game", models.CharField(max_length=30)),
                ("title", models.CharField(max_length=60)),
                ("table_seats", models.PositiveSmallIntegerField(default=2)),
                ("options", models.JSONField(default=dict)),
                ("takes_all", models.BooleanField(default=True)),
                (
                    "created_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Season",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "ladder",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="seasons",
                        to="ladders.ladder",
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("running", "running"),
                            ("closing", "last matches"),
                            ("closed", "closed"),
                        ],
                        db_index=True,
                        default="running",
                        max_length=8,
                    ),
                ),
                ("seating", models.JSONField(default=list)),
                ("unopened", models.PositiveSmallIntegerField(db_default=0, default=0)),
                (
                    "opened_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False
                    ),
                ),
                ("closes_at", models.DateTimeField()),
                ("closed_at", models.DateTimeField(null=True)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("ladder", "number"), name="ladders_season_number"
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("state", "running")),
                        fields=("ladder",),
                        name="ladders_one_season",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Division",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "season",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="divisions",
                        to="ladders.season",
                    ),
                ),
                ("level", models.PositiveSmallIntegerField()),
                (
                    "tournament",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="ladder_division",
                        to="tournaments.tournament",
                    ),
                ),
                ("batches", models.PositiveIntegerField(default=0)),
                ("blocks", models.PositiveIntegerField(default=0)),
                ("has_newcomers", models.BooleanField(default=False)),
                ("is_settled", models.BooleanField(default=False)),
                (
                    "due_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), null=True
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("due_at__isnull", False)),
                        fields=["-has_newcomers", "due_at"],
                        name="ladders_due",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("season", "level"), name="ladders_division_level"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="LadderMember",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "ladder",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="members",
                        to="ladders.ladder",
                    ),
                ),
                (
                    "bot",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="memberships",
                        to="bots.bot",
                    ),
                ),
                (
                    "choice",
                    models.CharField(
                        choices=[
                            ("by_itself", "joins by itself"),
                            ("in", "joined"),
                            ("paused", "paused"),
                            ("out", "left"),
                        ],
                        default="by_itself",
                        max_length=10,
                    ),
                ),
                ("followed", models.PositiveIntegerField(db_default=0, default=0)),
                (
                    "version",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="memberships",
                        to="bots.botversion",
                    ),
                ),
                (
                    "season",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="ladders.season",
                    ),
                ),
                (
                    "entry",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="tournaments.entry",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("version__isnull", False)),
                        fields=["ladder", "season"],
                        name="ladders_playing",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("ladder", "bot"), name="ladders_member_once")
                ],
            },
        ),
    ]
