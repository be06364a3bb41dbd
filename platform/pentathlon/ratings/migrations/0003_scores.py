import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    why_it_may_lock = (
        "The ledger is read once while its constraint is checked: seconds for millions of rows."
    )

    dependencies = [
        ("bots", "0004_clock_of_the_database"),
        ("matches", "0007_indexes_for_growth"),
        ("ratings", "0002_revoked_results"),
    ]

    operations = [
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
        migrations.AddConstraint(
            model_name="scoreline",
            constraint=models.UniqueConstraint(
                fields=("pool", "version"), name="ratings_score_line_once"
            ),
        ),
        migrations.RemoveConstraint(
            model_name="ledgerrow",
            name="ratings_applied_has_seq",
        ),
        migrations.AddField(
            model_name="ledgerrow",
            name="ended_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name="pool",
            name="done",
            field=models.PositiveIntegerField(db_default=0, default=0),
        ),
        migrations.AddField(
            model_name="pool",
            name="ledger_version",
            field=models.PositiveIntegerField(db_default=0, default=0),
        ),
        migrations.AddField(
            model_name="pool",
            name="seat_scores",
            field=models.JSONField(null=True),
        ),
        migrations.AddField(
            model_name="pool",
            name="void",
            field=models.PositiveIntegerField(db_default=0, default=0),
        ),
        migrations.AddField(
            model_name="ratingchange",
            name="nth",
            field=models.PositiveIntegerField(null=True),
        ),
        migrations.AlterField(
            model_name="ledgerrow",
            name="state",
            field=models.CharField(
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
    ]
