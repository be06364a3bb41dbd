import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("rivalry", "0001_initial")]

    operations = [
        *(
            migrations.DeleteModel(name=name)
            for name in (
                *("CountingState", "HeldLaneOfResults", "OpponentSum", "PairSum", "SeatSum"),
                *("Meeting", "UncountedResult"),
            )
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
        migrations.CreateModel(
            name="Meeting",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
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
                    "match",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="meetings",
                        to="matches.match",
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
                    "other_version",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="bots.botversion",
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
        migrations.RunSQL(
            "INSERT INTO rivalry_uncountedresult (match_id)"
            " SELECT id FROM matches_match WHERE state = 'done'",
            migrations.RunSQL.noop,
        ),
    ]
