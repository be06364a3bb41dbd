import django.db.models.deletion
import django.db.models.functions.datetime
import django.db.models.functions.text
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("bots", "0001_initial"),
        ("matches", "0001_initial"),
        ("ratings", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="Challenge",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "author",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="challenges",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("game", models.CharField(max_length=30)),
                (
                    "version",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="challenges_made",
                        to="bots.botversion",
                    ),
                ),
                (
                    "opponent",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="challenges_met",
                        to="bots.botversion",
                    ),
                ),
                ("others", models.JSONField(default=list)),
                ("blocks", models.PositiveSmallIntegerField()),
                ("planned", models.PositiveSmallIntegerField()),
                ("done", models.PositiveSmallIntegerField(default=0)),
                ("void", models.PositiveSmallIntegerField(default=0)),
                ("cells", models.JSONField(default=list)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("running", "running"),
                            ("done", "done"),
                            ("cancelled", "cancelled"),
                        ],
                        default="running",
                        max_length=10,
                    ),
                ),
                (
                    "created_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False
                    ),
                ),
                ("finished_at", models.DateTimeField(null=True)),
            ],
            options={
                "indexes": [
                    models.Index(fields=["author", "-id"], name="challenges_of_author"),
                    models.Index(fields=["author", "created_at"], name="challenges_quota"),
                    models.Index(fields=["version", "opponent", "-id"], name="challenges_of_pair"),
                    models.Index(
                        condition=models.Q(("state", "running")),
                        fields=["author"],
                        name="challenges_under_way",
                    ),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("version", models.F("opponent")), _negated=True),
                        name="challenges_two_versions",
                    )
                ],
            },
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
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="events",
                        to=settings.AUTH_USER_MODEL,
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
            name="Team",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=80)),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="teams",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "created_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        django.db.models.functions.text.Lower("name"), name="tournaments_team_name"
                    )
                ],
            },
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
                    "team",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="memberships",
                        to="tournaments.team",
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
                (
                    "invited_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False
                    ),
                ),
                ("accepted_at", models.DateTimeField(null=True)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("team", "person"), name="tournaments_member_once"
                    )
                ],
            },
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
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="tournaments",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("name", models.CharField(max_length=80)),
                ("game", models.CharField(max_length=30)),
                (
                    "event",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="tournaments",
                        to="tournaments.event",
                    ),
                ),
                ("season", models.CharField(blank=True, db_default="", max_length=40)),
                ("division", models.PositiveSmallIntegerField(null=True)),
                ("format", models.CharField(max_length=20)),
                ("scheduler", models.CharField(blank=True, db_default="", max_length=30)),
                ("params", models.JSONField(db_default={}, default=dict)),
                ("table_seats", models.PositiveSmallIntegerField(default=2)),
                ("rules_version", models.PositiveIntegerField(default=1)),
                ("secret", models.CharField(db_default="", default="", max_length=64)),
                ("secret_given", models.BooleanField(db_default=False, default=False)),
                ("revealed_at", models.DateTimeField(null=True)),
                ("fixed_document", models.JSONField(null=True)),
                ("draw_probability", models.FloatField(null=True)),
                ("beta", models.FloatField(null=True)),
                ("tie_breaks", models.JSONField(db_default=[], default=list)),
                ("leaving", models.CharField(blank=True, db_default="", max_length=20)),
                ("entries_per_author", models.PositiveSmallIntegerField(db_default=3, default=3)),
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
                    "pool",
                    models.OneToOneField(
                        null=True, on_delete=django.db.models.deletion.PROTECT, to="ratings.pool"
                    ),
                ),
                ("results_version", models.PositiveIntegerField(db_default=0, default=0)),
                ("planned", models.PositiveIntegerField(db_default=0, default=0)),
                ("fewest", models.PositiveIntegerField(null=True)),
                ("most", models.PositiveIntegerField(null=True)),
                ("scheduled", models.PositiveIntegerField(db_default=0, default=0)),
                ("is_fully_scheduled", models.BooleanField(db_default=False, default=False)),
                ("places", models.JSONField(null=True)),
                ("remark", models.CharField(blank=True, db_default="", max_length=200)),
                ("closes_entries_at", models.DateTimeField(null=True)),
                ("starts_at", models.DateTimeField(null=True)),
                ("hides_results", models.BooleanField(db_default=False, default=False)),
                ("freezes_at", models.DateTimeField(null=True)),
                ("released_at", models.DateTimeField(null=True)),
                ("is_open_ended", models.BooleanField(db_default=False, default=False)),
                ("start_problem", models.CharField(blank=True, db_default="", max_length=300)),
                ("problem", models.CharField(blank=True, db_default="", max_length=500)),
                ("entry_rules", models.JSONField(db_default={}, default=dict)),
                ("by_invitation", models.BooleanField(db_default=False, default=False)),
                ("description", models.TextField(blank=True, db_default="")),
                (
                    "created_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False
                    ),
                ),
                ("started_at", models.DateTimeField(null=True)),
                ("finished_at", models.DateTimeField(null=True)),
            ],
        ),
        migrations.CreateModel(
            name="Batch",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "tournament",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="batches",
                        to="tournaments.tournament",
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
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("tournament", "number"), name="tournaments_batch_once"
                    )
                ],
            },
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
                (
                    "tournament",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="blocks",
                        to="tournaments.tournament",
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                (
                    "batch",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="blocks",
                        to="tournaments.batch",
                    ),
                ),
                ("round", models.PositiveIntegerField()),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("open", "not all played"),
                            ("complete", "complete"),
                            ("void", "void: none of its matches counts"),
                            ("partial", "cut short, because a bot has left"),
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
                    "ordered_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("state", "open")),
                        fields=["tournament", "number"],
                        name="tournaments_open_block",
                    ),
                    models.Index(
                        condition=models.Q(("order", ""), _negated=True),
                        fields=["id"],
                        name="tournaments_block_order",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("tournament", "number"), name="tournaments_block_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="CoOrganiser",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "tournament",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="co_organisers",
                        to="tournaments.tournament",
                    ),
                ),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="co_organised",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "since",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("tournament", "person"), name="tournaments_organiser_once"
                    )
                ],
            },
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
                (
                    "tournament",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="entries",
                        to="tournaments.tournament",
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
                ("number", models.PositiveIntegerField(null=True)),
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
                ("reason", models.CharField(blank=True, db_default="", max_length=300)),
                ("left_at", models.DateTimeField(null=True)),
                (
                    "left_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("revokes_results", models.BooleanField(db_default=False, default=False)),
                ("is_settled", models.BooleanField(db_default=True, default=True)),
                ("joined_batch", models.PositiveIntegerField(db_default=1, default=1)),
                ("left_batch", models.PositiveIntegerField(null=True)),
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
                    "team",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="entries",
                        to="tournaments.team",
                    ),
                ),
                ("strength_hint", models.FloatField(null=True)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("tournament", "version"), name="tournaments_entry_once"
                    ),
                    models.UniqueConstraint(
                        fields=("tournament", "number"), name="tournaments_entry_number"
                    ),
                ],
            },
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
                ("rank_low", models.PositiveIntegerField(null=True)),
                ("rank_high", models.PositiveIntegerField(null=True)),
                ("fold_mu", models.FloatField(null=True)),
                ("fold_sigma", models.FloatField(null=True)),
                ("chance_of_best", models.FloatField()),
            ],
        ),
        migrations.CreateModel(
            name="Handover",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "tournament",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="offers",
                        to="tournaments.tournament",
                    ),
                ),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="handovers",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("is_shared", models.BooleanField(db_default=False, default=False)),
                (
                    "offered_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("is_shared", False)),
                        fields=("tournament",),
                        name="handovers_one_successor",
                    ),
                    models.UniqueConstraint(
                        fields=("tournament", "person"), name="handovers_one_offer_each"
                    ),
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
                    "tournament",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="invitations",
                        to="tournaments.tournament",
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
                    "invited_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False
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
        migrations.CreateModel(
            name="Replacement",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
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
                ("number", models.PositiveIntegerField()),
                (
                    "entry",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="replacements",
                        to="tournaments.entry",
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
                    "new",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="bots.botversion",
                    ),
                ),
                ("reason", models.CharField(max_length=300)),
                ("left", models.CharField(blank=True, db_default="", max_length=300)),
                (
                    "replaced_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False
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
                ("made_blocks", models.PositiveIntegerField()),
                ("checked_block", models.PositiveIntegerField()),
                ("first_block", models.PositiveIntegerField()),
                ("kept", models.JSONField(db_default=[], default=list)),
                ("is_settled", models.BooleanField(db_default=False, default=False)),
                ("digest", models.CharField(blank=True, db_default="", max_length=64)),
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
            name="TournamentMatch",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
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
                (
                    "match",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="place",
                        to="matches.match",
                    ),
                ),
                ("round", models.PositiveIntegerField()),
                ("block", models.PositiveIntegerField()),
                ("leg", models.PositiveSmallIntegerField(null=True)),
                ("index", models.PositiveIntegerField()),
                ("is_due", models.BooleanField(db_default=False, default=False)),
            ],
            options={
                "indexes": [
                    models.Index(fields=["tournament", "block"], name="tournaments_of_block"),
                    models.Index(
                        condition=models.Q(("is_due", True)), fields=["id"], name="tournaments_due"
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("tournament", "index"), name="tournaments_index_once"
                    )
                ],
            },
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
                    "place",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="former_legs",
                        to="tournaments.tournamentmatch",
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
    ]
