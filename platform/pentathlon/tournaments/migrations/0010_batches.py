import django.db.models.deletion
import django.db.models.functions.datetime
from django.apps.registry import Apps
from django.conf import settings
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def fill_parameters(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Write the cycles of tournaments as a parameter of their format."""
    for tournament in apps.get_model("tournaments", "Tournament").objects.iterator():
        tournament.params = {"cycles": tournament.cycles}
        tournament.save(update_fields=("params",))


class Migration(migrations.Migration):
    why_it_may_lock = "One row of each tournament is changed; its matches stay as they are."

    dependencies = [
        ("matches", "0013_worker_moves_to_fleet"),
        ("tournaments", "0009_no_draft"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Batch",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("input", models.JSONField(null=True)),
                ("input_digest", models.CharField(blank=True, db_default="", max_length=64)),
                ("first_block", models.PositiveIntegerField()),
                ("last_block", models.PositiveIntegerField()),
                (
                    "made_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Block",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("round", models.PositiveIntegerField()),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("open", "not all played"),
                            ("complete", "complete"),
                            ("void", "void: none of its matches counts"),
                        ],
                        db_default="open",
                        default="open",
                        max_length=8,
                    ),
                ),
                ("reason", models.CharField(blank=True, db_default="", max_length=300)),
                ("result", models.JSONField(null=True)),
                ("replays", models.PositiveSmallIntegerField(db_default=0, default=0)),
                (
                    "order",
                    models.CharField(
                        blank=True,
                        choices=[("void", "void"), ("rerun", "play again")],
                        db_default="",
                        max_length=5,
                    ),
                ),
            ],
            options={"db_table": "tournaments_blocks"},
        ),
        migrations.CreateModel(
            name="Event",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=80)),
                (
                    "created_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="FormerLeg",
            fields=[
                (
                    "match",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="former_place",
                        serialize=False,
                        to="matches.match",
                    ),
                ),
                (
                    "replaced_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False
                    ),
                ),
            ],
        ),
        migrations.AddField(
            model_name="entry",
            name="joined_batch",
            field=models.PositiveIntegerField(db_default=1, default=1),
        ),
        migrations.AddField(
            model_name="entry",
            name="left_batch",
            field=models.PositiveIntegerField(null=True),
        ),
        migrations.AddField(
            model_name="entry",
            name="replaced_by",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="replaces",
                to="tournaments.entry",
            ),
        ),
        migrations.AddField(
            model_name="entry",
            name="strength_hint",
            field=models.FloatField(null=True),
        ),
        migrations.AddField(
            model_name="entry",
            name="team",
            field=models.CharField(blank=True, db_default="", max_length=80),
        ),
        migrations.AddField(
            model_name="tournament",
            name="beta",
            field=models.FloatField(null=True),
        ),
        migrations.AddField(
            model_name="tournament",
            name="closes_entries_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name="tournament",
            name="division",
            field=models.PositiveSmallIntegerField(null=True),
        ),
        migrations.AddField(
            model_name="tournament",
            name="fewest",
            field=models.PositiveIntegerField(null=True),
        ),
        migrations.AddField(
            model_name="tournament",
            name="freezes_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name="tournament",
            name="hides_results",
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AddField(
            model_name="tournament",
            name="is_fully_scheduled",
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AddField(
            model_name="tournament",
            name="most",
            field=models.PositiveIntegerField(null=True),
        ),
        migrations.AddField(
            model_name="tournament",
            name="params",
            field=models.JSONField(db_default={}, default=dict),
        ),
        migrations.AddField(
            model_name="tournament",
            name="places",
            field=models.JSONField(null=True),
        ),
        migrations.AddField(
            model_name="tournament",
            name="released_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name="tournament",
            name="remark",
            field=models.CharField(blank=True, db_default="", max_length=200),
        ),
        migrations.AddField(
            model_name="tournament",
            name="scheduler",
            field=models.CharField(blank=True, db_default="", max_length=30),
        ),
        migrations.AddField(
            model_name="tournament",
            name="season",
            field=models.CharField(blank=True, db_default="", max_length=40),
        ),
        migrations.AddField(
            model_name="tournament",
            name="starts_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name="tournament",
            name="tie_breaks",
            field=models.JSONField(db_default=[], default=list),
        ),
        migrations.AddField(
            model_name="tournamentmatch",
            name="is_due",
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AddField(
            model_name="tournamentmatch",
            name="leg",
            field=models.PositiveSmallIntegerField(null=True),
        ),
        migrations.AlterField(
            model_name="entry",
            name="state",
            field=models.CharField(
                choices=[
                    ("active", "takes part"),
                    ("withdrawn", "withdrawn"),
                    ("disqualified", "disqualified"),
                    ("replaced", "replaced by another version"),
                ],
                db_default="active",
                default="active",
                max_length=12,
            ),
        ),
        migrations.AlterField(
            model_name="tournament",
            name="format",
            field=models.CharField(max_length=20),
        ),
        migrations.AddField(
            model_name="batch",
            name="tournament",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="batches",
                to="tournaments.tournament",
            ),
        ),
        migrations.AddField(
            model_name="block",
            name="batch",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="blocks",
                to="tournaments.batch",
            ),
        ),
        migrations.AddField(
            model_name="block",
            name="ordered_by",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="block",
            name="tournament",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="blocks",
                to="tournaments.tournament",
            ),
        ),
        migrations.AddField(
            model_name="event",
            name="owner",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="events",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="tournament",
            name="event",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="tournaments",
                to="tournaments.event",
            ),
        ),
        migrations.AddField(
            model_name="formerleg",
            name="place",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="former_legs",
                to="tournaments.tournamentmatch",
            ),
        ),
        migrations.AddConstraint(
            model_name="batch",
            constraint=models.UniqueConstraint(
                fields=("tournament", "number"), name="tournaments_batch_once"
            ),
        ),
        migrations.AddIndex(
            model_name="block",
            index=models.Index(
                condition=models.Q(("state", "open")),
                fields=["tournament", "number"],
                name="tournaments_open_block",
            ),
        ),
        migrations.AddIndex(
            model_name="block",
            index=models.Index(
                condition=models.Q(("order", ""), _negated=True),
                fields=["id"],
                name="tournaments_block_order",
            ),
        ),
        migrations.AddConstraint(
            model_name="block",
            constraint=models.UniqueConstraint(
                fields=("tournament", "number"), name="tournaments_block_once"
            ),
        ),
        migrations.RunPython(fill_parameters, migrations.RunPython.noop),
    ]
