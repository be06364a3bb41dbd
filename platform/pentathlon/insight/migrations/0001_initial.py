import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("bots", "0001_initial"),
        ("matches", "0001_initial"),
        ("tournaments", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="Analysis",
            fields=[
                (
                    "match",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="analysis",
                        serialize=False,
                        to="matches.match",
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "waiting"),
                            ("running", "being computed"),
                            ("done", "done"),
                            ("failed", "cannot be computed"),
                        ],
                        default="waiting",
                        max_length=8,
                    ),
                ),
                ("asked_at", models.DateTimeField(null=True)),
                ("sent_at", models.DateTimeField(null=True)),
                ("token", models.UUIDField(null=True)),
                ("lease_until", models.DateTimeField(null=True)),
                ("lent_at", models.DateTimeField(null=True)),
                ("lent_ms", models.PositiveIntegerField(null=True)),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("method", models.PositiveSmallIntegerField(default=0)),
                ("curve", models.JSONField(null=True)),
                ("measured", models.JSONField(null=True)),
                ("cpu_ms", models.PositiveIntegerField(default=0)),
                ("error", models.CharField(blank=True, max_length=30)),
                (
                    "created_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False
                    ),
                ),
                ("ended_at", models.DateTimeField(null=True)),
            ],
            options={
                "verbose_name_plural": "analyses",
                "indexes": [
                    models.Index(
                        condition=models.Q(("state", "waiting")),
                        fields=["asked_at", "-match"],
                        name="analyses_waiting",
                    ),
                    models.Index(
                        condition=models.Q(("state", "running")),
                        fields=["lease_until"],
                        name="analyses_running",
                    ),
                    models.Index(
                        condition=models.Q(("lent_at__isnull", False)),
                        fields=["-lent_at"],
                        name="analyses_lent",
                    ),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("state", "done"), _negated=True),
                            ("curve__isnull", False),
                            _connector="OR",
                        ),
                        name="analyses_done_has_curve",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("state", "running"), _negated=True),
                            models.Q(("lease_until__isnull", False), ("token__isnull", False)),
                            _connector="OR",
                        ),
                        name="analyses_running_has_lease",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Dataset",
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
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="datasets",
                        to="tournaments.tournament",
                    ),
                ),
                ("game", models.CharField(max_length=30)),
                ("edition", models.PositiveIntegerField()),
                ("schema_version", models.PositiveIntegerField()),
                ("rules_version", models.PositiveIntegerField()),
                ("parts", models.PositiveIntegerField(default=0)),
                ("cursor", models.PositiveIntegerField(default=0)),
                ("matches", models.PositiveIntegerField(default=0)),
                ("left_out", models.PositiveIntegerField(default=0)),
                ("decisions", models.PositiveBigIntegerField(default=0)),
                ("packed_bytes", models.PositiveBigIntegerField(default=0)),
                ("parquet_bytes", models.PositiveBigIntegerField(null=True)),
                ("sha256", models.CharField(blank=True, max_length=64)),
                ("is_whole", models.BooleanField(default=False)),
                ("is_newest", models.BooleanField(default=False)),
                (
                    "begun_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False
                    ),
                ),
                ("made_at", models.DateTimeField(null=True)),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("is_whole", False)),
                        fields=["id"],
                        name="datasets_unfinished",
                    ),
                    models.Index(
                        condition=models.Q(("is_whole", True)),
                        fields=["game", "-id"],
                        name="datasets_of_game",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("tournament", "edition"), name="datasets_edition_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="DatasetPart",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "dataset",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="part_rows",
                        to="insight.dataset",
                    ),
                ),
                (
                    "table",
                    models.CharField(
                        choices=[("decisions", "decisions"), ("matches", "matches")], max_length=9
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("rows", models.PositiveIntegerField()),
                ("sha256", models.CharField(max_length=64)),
                ("data", models.BinaryField()),
                ("parquet", models.BinaryField(null=True)),
                ("parquet_sha256", models.CharField(blank=True, db_default="", max_length=64)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("dataset", "table", "number"), name="datasets_part_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="ExploredGame",
            fields=[
                ("game", models.CharField(max_length=30, primary_key=True, serialize=False)),
                ("finished_at", models.DateTimeField(null=True)),
                ("match_id", models.PositiveBigIntegerField(default=0)),
                ("matches", models.PositiveIntegerField(default=0)),
                ("positions", models.PositiveIntegerField(default=0)),
            ],
        ),
        migrations.CreateModel(
            name="ExploredMatch",
            fields=[
                (
                    "match",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        serialize=False,
                        to="matches.match",
                    ),
                ),
                ("lane", models.PositiveBigIntegerField(db_default=0, default=0)),
                ("depth", models.PositiveSmallIntegerField(db_default=0, default=0)),
                ("is_due", models.BooleanField(db_default=True, default=True)),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("is_due", True)), fields=["lane"], name="explorer_due"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="ExploredPosition",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("game", models.CharField(max_length=30)),
                ("key", models.CharField(max_length=32)),
                ("matches", models.PositiveIntegerField()),
                ("points", models.JSONField()),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("game", "key"), name="explorer_position_once")
                ],
            },
        ),
        migrations.CreateModel(
            name="Meeting",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "match",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="meetings",
                        to="matches.match",
                    ),
                ),
                (
                    "bot",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="bots.bot",
                    ),
                ),
                (
                    "other",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="bots.bot",
                    ),
                ),
                (
                    "version",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="bots.botversion",
                    ),
                ),
                (
                    "other_version",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="bots.botversion",
                    ),
                ),
                ("seat", models.PositiveSmallIntegerField()),
                ("other_seat", models.PositiveSmallIntegerField()),
                ("seats", models.PositiveSmallIntegerField()),
                ("game", models.CharField(max_length=30)),
                ("kind", models.CharField(max_length=12)),
                ("lane", models.PositiveBigIntegerField()),
                ("plies", models.PositiveIntegerField()),
                ("finished_at", models.DateTimeField()),
                ("ended_on", models.DateField()),
                ("half_points", models.PositiveSmallIntegerField()),
                ("have_both_failed", models.BooleanField()),
                ("is_repeat", models.BooleanField()),
                ("expected", models.PositiveIntegerField(null=True)),
                ("variance", models.PositiveIntegerField(null=True)),
                ("beaten_score", models.FloatField(null=True)),
                ("surprise", models.PositiveIntegerField(null=True)),
            ],
            options={
                "indexes": [
                    models.Index(fields=["bot", "game", "-match"], name="rivalry_of_bot"),
                    models.Index(fields=["bot", "other", "-match"], name="rivalry_of_pair"),
                    models.Index(
                        condition=models.Q(("beaten_score__isnull", False)),
                        fields=["bot", "game", "-beaten_score", "-match"],
                        name="rivalry_best_wins",
                    ),
                    models.Index(
                        condition=models.Q(("surprise__isnull", False)),
                        fields=["ended_on", "surprise", "match"],
                        name="rivalry_upsets",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("match", "seat", "other_seat"), name="rivalry_meeting_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="UncountedResult",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "match",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="matches.match",
                    ),
                ),
            ],
        ),
    ]
