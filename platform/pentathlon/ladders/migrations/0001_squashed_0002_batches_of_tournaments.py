import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):
    """Begin a new database with the tables that the replaced migrations lead to."""

    initial = True

    replaces = [
        ("ladders", "0001_initial"),
        ("ladders", "0002_batches_of_tournaments"),
    ]

    dependencies = [
        ("bots", "0009_candidates"),
        ("tournaments", "0019_returning_entries"),
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
                (
                    "opened_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False
                    ),
                ),
                ("closes_at", models.DateTimeField()),
                ("closed_at", models.DateTimeField(null=True)),
                ("unopened", models.PositiveSmallIntegerField(db_default=0, default=0)),
                (
                    "ladder",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="seasons",
                        to="ladders.ladder",
                    ),
                ),
            ],
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
                (
                    "bot",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="memberships",
                        to="bots.bot",
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
                (
                    "ladder",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="members",
                        to="ladders.ladder",
                    ),
                ),
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
            ],
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
                ("level", models.PositiveSmallIntegerField()),
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
                (
                    "tournament",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="ladder_division",
                        to="tournaments.tournament",
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
            ],
        ),
        migrations.AddConstraint(
            model_name="season",
            constraint=models.UniqueConstraint(
                fields=("ladder", "number"), name="ladders_season_number"
            ),
        ),
        migrations.AddConstraint(
            model_name="season",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state", "running")),
                fields=("ladder",),
                name="ladders_one_season",
            ),
        ),
        migrations.AddIndex(
            model_name="laddermember",
            index=models.Index(
                condition=models.Q(("version__isnull", False)),
                fields=["ladder", "season"],
                name="ladders_playing",
            ),
        ),
        migrations.AddConstraint(
            model_name="laddermember",
            constraint=models.UniqueConstraint(
                fields=("ladder", "bot"), name="ladders_member_once"
            ),
        ),
        migrations.AddIndex(
            model_name="division",
            index=models.Index(
                condition=models.Q(("due_at__isnull", False)),
                fields=["-has_newcomers", "due_at"],
                name="ladders_due",
            ),
        ),
        migrations.AddConstraint(
            model_name="division",
            constraint=models.UniqueConstraint(
                fields=("season", "level"), name="ladders_division_level"
            ),
        ),
    ]
