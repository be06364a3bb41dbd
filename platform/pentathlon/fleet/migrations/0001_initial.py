from django.db import migrations, models


class Migration(migrations.Migration):
    """Take the model over from the app `matches`; its table stays as it is."""

    initial = True

    dependencies = [
        ("matches", "0011_latest_of_game"),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.CreateModel(
                    name="Worker",
                    fields=[
                        (
                            "name",
                            models.CharField(max_length=80, primary_key=True, serialize=False),
                        ),
                        ("slots", models.PositiveSmallIntegerField()),
                        ("games", models.JSONField()),
                        ("runtimes", models.JSONField()),
                        ("sandbox", models.CharField(max_length=12)),
                        ("layers", models.JSONField()),
                        ("version", models.CharField(max_length=40)),
                        ("is_draining", models.BooleanField(default=False)),
                        ("starved", models.FloatField(db_default=0, default=0)),
                        (
                            "held_slots",
                            models.PositiveSmallIntegerField(db_default=0, default=0),
                        ),
                        ("started_at", models.DateTimeField()),
                        ("seen_at", models.DateTimeField()),
                    ],
                    options={"db_table": "matches_worker"},
                ),
            ],
        ),
    ]
