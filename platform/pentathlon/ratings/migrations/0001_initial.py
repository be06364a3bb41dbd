import django.db.models.deletion
import django.db.models.expressions
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
                ("scope", models.CharField(blank=True, db_default="", max_length=16)),
                ("setting", models.JSONField(db_default={}, default=dict)),
                ("epoch", models.PositiveIntegerField(db_default=1, default=1)),
                ("draw_probability", models.FloatField()),
                (
                    "beta",
                    models.FloatField(db_default=4.166666666666667, default=4.166666666666667),
                ),
                ("fingerprint", models.CharField(blank=True, db_default="", max_length=64)),
                ("algorithm_version", models.PositiveIntegerField(default=3)),
                ("applied_seq", models.PositiveIntegerField(default=0)),
                ("is_stale", models.BooleanField(db_default=False, default=False)),
                ("ledger_version", models.PositiveIntegerField(db_default=0, default=0)),
                ("recomputes", models.PositiveIntegerField(db_default=0, default=0)),
                ("done", models.PositiveIntegerField(db_default=0, default=0)),
                ("void", models.PositiveIntegerField(db_default=0, default=0)),
                ("seat_scores", models.JSONField(null=True)),
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
                    "pool",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="rows",
                        to="ratings.pool",
                    ),
                ),
                (
                    "match",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="ledger_rows",
                        to="matches.match",
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
                (
                    "reason",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("void", "the match is void"),
                            ("no_sandbox", "its bots ran without a sandbox"),
                            ("same_version", "a bot version played against itself"),
                            ("same_owner", "bots of one author: it counts in its tournament only"),
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
                ("applied_at", models.DateTimeField(null=True)),
                ("course", models.BigIntegerField(null=True)),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("state", "waiting")),
                        fields=["pool", "match"],
                        name="ratings_waiting",
                    ),
                    models.Index(
                        condition=models.Q(("state", "waiting")),
                        fields=["id"],
                        name="ratings_waiting_in_turn",
                    ),
                    models.Index(
                        condition=models.Q(("state", "ready")),
                        fields=["pool", "ended_at", "match"],
                        name="ratings_ready",
                    ),
                    models.Index(
                        condition=models.Q(("course__isnull", False)),
                        fields=["pool", "course", "reason", "seq"],
                        name="ratings_course",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("pool", "match"), name="ratings_match_once"),
                    models.UniqueConstraint(fields=("pool", "seq"), name="ratings_seq_once"),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("seq__isnull", False), ("state", "applied")),
                            ("state", "revoked"),
                            models.Q(
                                ("seq__isnull", True),
                                ("state__in", ("waiting", "ready", "skipped")),
                            ),
                            _connector="OR",
                        ),
                        name="ratings_applied_has_seq",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="RankingDay",
            fields=[
                ("day", models.DateField(primary_key=True, serialize=False)),
                ("authors", models.PositiveIntegerField()),
                ("is_complete", models.BooleanField(default=False)),
            ],
        ),
        migrations.CreateModel(
            name="FormerPlace",
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
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="former_places",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "day",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="places",
                        to="ratings.rankingday",
                    ),
                ),
                ("rank", models.PositiveIntegerField()),
                ("share", models.FloatField()),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("author", "day"), name="rankings_former_place_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="RankingTable",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("rule", models.CharField(max_length=40)),
                ("pools", models.JSONField()),
                ("authors", models.PositiveIntegerField()),
                ("is_published", models.BooleanField(default=False)),
                ("took_ms", models.PositiveIntegerField()),
                (
                    "computed_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="RankingLine",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "table",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="lines",
                        to="ratings.rankingtable",
                    ),
                ),
                (
                    "author",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="ranking_lines",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("place", models.PositiveIntegerField()),
                ("rank", models.PositiveIntegerField()),
                ("share", models.FloatField()),
                ("games", models.JSONField()),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("table", "author"), name="rankings_author_once"
                    ),
                    models.UniqueConstraint(fields=("table", "place"), name="rankings_place_once"),
                ],
            },
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
            ],
            options={
                "indexes": [models.Index(fields=["pool", "-score"], name="ratings_table")],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("pool", "version"), name="ratings_one_per_version"
                    )
                ],
            },
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
                ("seat", models.PositiveSmallIntegerField()),
                ("rank", models.PositiveSmallIntegerField()),
                ("mu_before", models.FloatField()),
                ("sigma_before", models.FloatField()),
                ("mu_after", models.FloatField()),
                ("sigma_after", models.FloatField()),
                ("nth", models.PositiveIntegerField(null=True)),
            ],
            options={
                "indexes": [
                    models.Index(fields=["version", "row"], name="ratings_history"),
                    models.Index(
                        condition=models.Q(("nth__isnull", False)),
                        fields=["version", "nth"],
                        name="ratings_landmarks",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("row", "seat"), name="ratings_change_per_seat")
                ],
            },
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
                ("matches", models.PositiveIntegerField(default=0)),
                ("wins", models.PositiveIntegerField(default=0)),
                ("draws", models.PositiveIntegerField(default=0)),
                ("faults", models.PositiveIntegerField(default=0)),
                ("ahead", models.PositiveIntegerField(default=0)),
                ("level", models.PositiveIntegerField(default=0)),
                ("against", models.JSONField(default=dict)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("pool", "version"), name="ratings_score_line_once"
                    )
                ],
            },
        ),
    ]
