import django.db.models.deletion
import django.db.models.expressions
from django.db import migrations, models


class Migration(migrations.Migration):
    """Begin a new database with the tables that all of these have led to."""

    initial = True

    replaces = [
        ("ratings", "0001_initial"),
        ("ratings", "0002_revoked_results"),
        ("ratings", "0003_scores"),
        ("ratings", "0004_indexes_for_growth"),
        ("ratings", "0005_landmarks"),
        ("ratings", "0006_scopes_and_epochs"),
        ("ratings", "0007_course"),
        ("ratings", "0008_fewer_indexes"),
    ]

    dependencies = [
        ("bots", "0009_candidates"),
        ("matches", "0024_index_of_validations"),
    ]

    operations = [
        migrations.CreateModel(
            name="Pool",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("key", models.CharField(max_length=60, unique=True)),
                ("game", models.CharField(max_length=30)),
                ("title", models.CharField(max_length=120)),
                ("draw_probability", models.FloatField()),
                ("algorithm_version", models.PositiveIntegerField(default=3)),
                ("applied_seq", models.PositiveIntegerField(default=0)),
                ("fingerprint", models.CharField(blank=True, db_default="", max_length=64)),
                ("is_stale", models.BooleanField(db_default=False, default=False)),
                ("recomputes", models.PositiveIntegerField(db_default=0, default=0)),
                ("done", models.PositiveIntegerField(db_default=0, default=0)),
                ("ledger_version", models.PositiveIntegerField(db_default=0, default=0)),
                ("seat_scores", models.JSONField(null=True)),
                ("void", models.PositiveIntegerField(db_default=0, default=0)),
                ("scope", models.CharField(blank=True, db_default="", max_length=16)),
                ("setting", models.JSONField(db_default={}, default=dict)),
                ("epoch", models.PositiveIntegerField(db_default=1, default=1)),
                (
                    "beta",
                    models.FloatField(db_default=4.166666666666667, default=4.166666666666667),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("draw_probability__gte", 0.005), ("draw_probability__lte", 0.5)
                        ),
                        name="ratings_draw_probability",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="LedgerRow",
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
                            ("waiting", "not finished"),
                            ("ready", "finished, to be applied"),
                            ("applied", "applied"),
                            ("skipped", "void or unrated: changes nothing"),
                            ("revoked", "taken back: counts no more"),
                        ],
                        default="waiting",
                        max_length=8,
                    ),
                ),
                ("seq", models.PositiveIntegerField(null=True)),
                ("applied_at", models.DateTimeField(null=True)),
                (
                    "reason",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("void", "the match is void"),
                            ("no_sandbox", "its bots ran without a sandbox"),
                            ("same_version", "a bot version played against itself"),
                            ("all_failed", "no change: all seats failed"),
                            (
                                "repeat",
                                "no change: the same match as an earlier one, move by move",
                            ),
                            ("revoked", "the result was taken back"),
                        ],
                        db_default="",
                        max_length=12,
                    ),
                ),
                ("ended_at", models.DateTimeField(null=True)),
                ("course", models.BigIntegerField(null=True)),
                (
                    "match",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="ledger_rows",
                        to="matches.match",
                    ),
                ),
                (
                    "pool",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="rows",
                        to="ratings.pool",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Rating",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("mu", models.FloatField()),
                ("sigma", models.FloatField()),
                (
                    "score",
                    models.GeneratedField(
                        db_persist=True,
                        expression=django.db.models.expressions.CombinedExpression(
                            models.F("mu"),
                            "-",
                            django.db.models.expressions.CombinedExpression(
                                models.Value(3), "*", models.F("sigma")
                            ),
                        ),
                        output_field=models.FloatField(),
                    ),
                ),
                ("matches", models.PositiveIntegerField(default=0)),
                ("wins", models.PositiveIntegerField(default=0)),
                ("draws", models.PositiveIntegerField(default=0)),
                ("losses", models.PositiveIntegerField(default=0)),
                ("last_seq", models.PositiveIntegerField(default=0)),
                (
                    "pool",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="ratings",
                        to="ratings.pool",
                    ),
                ),
                (
                    "version",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="ratings",
                        to="bots.botversion",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="RatingChange",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("seat", models.PositiveSmallIntegerField()),
                ("rank", models.PositiveSmallIntegerField()),
                ("mu_before", models.FloatField()),
                ("sigma_before", models.FloatField()),
                ("mu_after", models.FloatField()),
                ("sigma_after", models.FloatField()),
                ("nth", models.PositiveIntegerField(null=True)),
                (
                    "row",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="changes",
                        to="ratings.ledgerrow",
                    ),
                ),
                (
                    "version",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="rating_changes",
                        to="bots.botversion",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="ScoreLine",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("matches", models.PositiveIntegerField(default=0)),
                ("wins", models.PositiveIntegerField(default=0)),
                ("draws", models.PositiveIntegerField(default=0)),
                ("faults", models.PositiveIntegerField(default=0)),
                ("ahead", models.PositiveIntegerField(default=0)),
                ("level", models.PositiveIntegerField(default=0)),
                ("against", models.JSONField(default=dict)),
                (
                    "pool",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="score_lines",
                        to="ratings.pool",
                    ),
                ),
                (
                    "version",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="score_lines",
                        to="bots.botversion",
                    ),
                ),
            ],
        ),
        migrations.AddIndex(
            model_name="ledgerrow",
            index=models.Index(
                condition=models.Q(("state", "waiting")),
                fields=["pool", "match"],
                name="ratings_waiting",
            ),
        ),
        migrations.AddIndex(
            model_name="ledgerrow",
            index=models.Index(
                condition=models.Q(("state", "waiting")),
                fields=["id"],
                name="ratings_waiting_in_turn",
            ),
        ),
        migrations.AddIndex(
            model_name="ledgerrow",
            index=models.Index(
                condition=models.Q(("state", "ready")),
                fields=["pool", "ended_at", "match"],
                name="ratings_ready",
            ),
        ),
        migrations.AddIndex(
            model_name="ledgerrow",
            index=models.Index(
                condition=models.Q(("course__isnull", False)),
                fields=["pool", "course", "reason", "seq"],
                name="ratings_course",
            ),
        ),
        migrations.AddConstraint(
            model_name="ledgerrow",
            constraint=models.UniqueConstraint(
                fields=("pool", "match"), name="ratings_match_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="ledgerrow",
            constraint=models.UniqueConstraint(fields=("pool", "seq"), name="ratings_seq_once"),
        ),
        migrations.AddConstraint(
            model_name="ledgerrow",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("seq__isnull", False), ("state", "applied")),
                    ("state", "revoked"),
                    models.Q(
                        ("seq__isnull", True), ("state__in", ("waiting", "ready", "skipped"))
                    ),
                    _connector="OR",
                ),
                name="ratings_applied_has_seq",
            ),
        ),
        migrations.AddIndex(
            model_name="rating",
            index=models.Index(fields=["pool", "-score"], name="ratings_table"),
        ),
        migrations.AddConstraint(
            model_name="rating",
            constraint=models.UniqueConstraint(
                fields=("pool", "version"), name="ratings_one_per_version"
            ),
        ),
        migrations.AddIndex(
            model_name="ratingchange",
            index=models.Index(fields=["version", "row"], name="ratings_history"),
        ),
        migrations.AddIndex(
            model_name="ratingchange",
            index=models.Index(
                condition=models.Q(("nth__isnull", False)),
                fields=["version", "nth"],
                name="ratings_landmarks",
            ),
        ),
        migrations.AddConstraint(
            model_name="ratingchange",
            constraint=models.UniqueConstraint(
                fields=("row", "seat"), name="ratings_change_per_seat"
            ),
        ),
        migrations.AddConstraint(
            model_name="scoreline",
            constraint=models.UniqueConstraint(
                fields=("pool", "version"), name="ratings_score_line_once"
            ),
        ),
    ]
