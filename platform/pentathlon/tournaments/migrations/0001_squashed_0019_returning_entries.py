import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps


def keep_column_of_seeds(apps: StateApps, editor: BaseDatabaseSchemaEditor) -> None:
    """Add what `0004_sealed_seeds` keeps; SQLite has lost it where a table was copied later."""
    if editor.connection.vendor == "postgresql":
        editor.execute("ALTER TABLE tournaments_tournament ADD COLUMN seed bigint NULL")


class Migration(migrations.Migration):
    """Begin a new database with the tables that all of these have led to."""

    initial = True

    replaces = [
        ("tournaments", "0001_initial"),
        ("tournaments", "0002_clock_of_the_database"),
        ("tournaments", "0003_results_version"),
        ("tournaments", "0004_sealed_seeds"),
        ("tournaments", "0005_block_index"),
        ("tournaments", "0006_entries_that_leave"),
        ("tournaments", "0007_planned_matches"),
        ("tournaments", "0008_held_lanes"),
        ("tournaments", "0009_no_draft"),
        ("tournaments", "0010_batches"),
        ("tournaments", "0011_due_index"),
        ("tournaments", "0012_rank_intervals"),
        ("tournaments", "0013_no_fold_at_tables"),
        ("tournaments", "0014_open_ended"),
        ("tournaments", "0015_organising"),
        ("tournaments", "0016_partial_blocks"),
        ("tournaments", "0017_drafts"),
        ("tournaments", "0018_replacements"),
        ("tournaments", "0019_returning_entries"),
    ]

    dependencies = [
        ("bots", "0009_candidates"),
        ("matches", "0024_index_of_validations"),
        ("ratings", "0008_fewer_indexes"),
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
            name="Entry",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField(null=True)),
                ("is_settled", models.BooleanField(db_default=True, default=True)),
                ("left_at", models.DateTimeField(null=True)),
                ("reason", models.CharField(blank=True, db_default="", max_length=300)),
                ("revokes_results", models.BooleanField(db_default=False, default=False)),
                (
                    "state",
                    models.CharField(
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
                ("joined_batch", models.PositiveIntegerField(db_default=1, default=1)),
                ("left_batch", models.PositiveIntegerField(null=True)),
                ("strength_hint", models.FloatField(null=True)),
                ("team", models.CharField(blank=True, db_default="", max_length=80)),
                (
                    "left_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "replaced_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="replaces",
                        to="tournaments.entry",
                    ),
                ),
                (
                    "version",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="entries",
                        to="bots.botversion",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="FinalRow",
            fields=[
                (
                    "entry",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="final_row",
                        serialize=False,
                        to="tournaments.entry",
                    ),
                ),
                ("place", models.PositiveIntegerField()),
                ("group", models.PositiveIntegerField()),
                ("mu", models.FloatField()),
                ("sigma", models.FloatField()),
                ("fold_mu", models.FloatField(null=True)),
                ("fold_sigma", models.FloatField(null=True)),
                ("chance_of_best", models.FloatField()),
                ("rank_low", models.PositiveIntegerField(null=True)),
                ("rank_high", models.PositiveIntegerField(null=True)),
            ],
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
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="events",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Tournament",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=80)),
                ("game", models.CharField(max_length=30)),
                ("format", models.CharField(max_length=20)),
                ("table_seats", models.PositiveSmallIntegerField(default=2)),
                ("cycles", models.PositiveSmallIntegerField(default=1)),
                ("rules_version", models.PositiveIntegerField(default=1)),
                ("options", models.JSONField(default=dict)),
                ("limits", models.JSONField(default=dict)),
                ("rated", models.BooleanField(default=True)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("draft", "a draft"),
                            ("open", "open for entries"),
                            ("running", "running"),
                            ("paused", "paused"),
                            ("closed", "closed"),
                            ("cancelled", "cancelled"),
                        ],
                        db_index=True,
                        default="open",
                        max_length=10,
                    ),
                ),
                (
                    "created_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False
                    ),
                ),
                ("started_at", models.DateTimeField(null=True)),
                ("finished_at", models.DateTimeField(null=True)),
                ("results_version", models.PositiveIntegerField(db_default=0, default=0)),
                ("secret", models.CharField(db_default="", default="", max_length=64)),
                ("secret_given", models.BooleanField(db_default=False, default=False)),
                ("revealed_at", models.DateTimeField(null=True)),
                ("fixed_document", models.JSONField(null=True)),
                ("draw_probability", models.FloatField(null=True)),
                ("entries_per_author", models.PositiveSmallIntegerField(db_default=3, default=3)),
                ("planned", models.PositiveIntegerField(db_default=0, default=0)),
                ("scheduled", models.PositiveIntegerField(db_default=0, default=0)),
                ("beta", models.FloatField(null=True)),
                ("closes_entries_at", models.DateTimeField(null=True)),
                ("division", models.PositiveSmallIntegerField(null=True)),
                ("fewest", models.PositiveIntegerField(null=True)),
                ("freezes_at", models.DateTimeField(null=True)),
                ("hides_results", models.BooleanField(db_default=False, default=False)),
                ("is_fully_scheduled", models.BooleanField(db_default=False, default=False)),
                ("most", models.PositiveIntegerField(null=True)),
                ("params", models.JSONField(db_default={}, default=dict)),
                ("places", models.JSONField(null=True)),
                ("released_at", models.DateTimeField(null=True)),
                ("remark", models.CharField(blank=True, db_default="", max_length=200)),
                ("scheduler", models.CharField(blank=True, db_default="", max_length=30)),
                ("season", models.CharField(blank=True, db_default="", max_length=40)),
                ("starts_at", models.DateTimeField(null=True)),
                ("tie_breaks", models.JSONField(db_default=[], default=list)),
                ("is_open_ended", models.BooleanField(db_default=False, default=False)),
                ("by_invitation", models.BooleanField(db_default=False, default=False)),
                ("entry_rules", models.JSONField(db_default={}, default=dict)),
                ("start_problem", models.CharField(blank=True, db_default="", max_length=300)),
                (
                    "event",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="tournaments",
                        to="tournaments.event",
                    ),
                ),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="tournaments",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "pool",
                    models.OneToOneField(
                        null=True, on_delete=django.db.models.deletion.PROTECT, to="ratings.pool"
                    ),
                ),
            ],
        ),
        migrations.RunPython(keep_column_of_seeds, migrations.RunPython.noop),
        migrations.AddField(
            model_name="entry",
            name="tournament",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="entries",
                to="tournaments.tournament",
            ),
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
                            ("partial", "incomplete: what was played counts"),
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
                (
                    "batch",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="blocks",
                        to="tournaments.batch",
                    ),
                ),
                (
                    "ordered_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "tournament",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="blocks",
                        to="tournaments.tournament",
                    ),
                ),
            ],
            options={
                "db_table": "tournaments_blocks",
            },
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
        migrations.CreateModel(
            name="TournamentMatch",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("round", models.PositiveIntegerField()),
                ("block", models.PositiveIntegerField()),
                ("index", models.PositiveIntegerField()),
                ("is_due", models.BooleanField(db_default=False, default=False)),
                ("leg", models.PositiveSmallIntegerField(null=True)),
                (
                    "match",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="place",
                        to="matches.match",
                    ),
                ),
                (
                    "tournament",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="tournament_matches",
                        to="tournaments.tournament",
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
                (
                    "place",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="former_legs",
                        to="tournaments.tournamentmatch",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="TeamMember",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "entry",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="members",
                        to="tournaments.entry",
                    ),
                ),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="memberships",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("entry", "person"), name="tournaments_member_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Replacement",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("reason", models.CharField(max_length=300)),
                (
                    "replaced_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False
                    ),
                ),
                ("made_blocks", models.PositiveIntegerField()),
                ("checked_block", models.PositiveIntegerField()),
                ("first_block", models.PositiveIntegerField()),
                ("kept", models.JSONField(db_default=[], default=list)),
                ("is_settled", models.BooleanField(db_default=False, default=False)),
                ("digest", models.CharField(blank=True, db_default="", max_length=64)),
                ("left", models.CharField(blank=True, db_default="", max_length=300)),
                (
                    "entry",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="replacements",
                        to="tournaments.entry",
                    ),
                ),
                (
                    "new",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="bots.botversion",
                    ),
                ),
                (
                    "old",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="bots.botversion",
                    ),
                ),
                (
                    "replaced_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "tournament",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="replacements",
                        to="tournaments.tournament",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("is_settled", False)),
                        fields=["tournament"],
                        name="tournaments_replacing",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("tournament", "number"), name="tournaments_replacement_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Invitation",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "invited_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False
                    ),
                ),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="invitations",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "tournament",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="invitations",
                        to="tournaments.tournament",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("tournament", "person"), name="tournaments_invited_once"
                    )
                ],
            },
        ),
        migrations.AddConstraint(
            model_name="entry",
            constraint=models.UniqueConstraint(
                fields=("tournament", "version"), name="tournaments_entry_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="entry",
            constraint=models.UniqueConstraint(
                fields=("tournament", "number"), name="tournaments_entry_number"
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
        migrations.AddConstraint(
            model_name="batch",
            constraint=models.UniqueConstraint(
                fields=("tournament", "number"), name="tournaments_batch_once"
            ),
        ),
        migrations.AddIndex(
            model_name="tournamentmatch",
            index=models.Index(fields=["tournament", "block"], name="tournaments_block"),
        ),
        migrations.AddIndex(
            model_name="tournamentmatch",
            index=models.Index(
                condition=models.Q(("is_due", True)), fields=["id"], name="tournaments_due"
            ),
        ),
        migrations.AddConstraint(
            model_name="tournamentmatch",
            constraint=models.UniqueConstraint(
                fields=("tournament", "index"), name="tournaments_index_once"
            ),
        ),
    ]
