import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):
    """Begin a new database with the tables that all of these have led to."""

    initial = True

    replaces = [
        ("replays", "0001_initial"),
        ("replays", "0002_clock_of_the_database"),
        ("replays", "0003_log"),
        ("replays", "0004_awaiting_log"),
    ]

    dependencies = [
        ("matches", "0024_index_of_validations"),
    ]

    operations = [
        migrations.CreateModel(
            name="Replay",
            fields=[
                (
                    "match",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="replay",
                        serialize=False,
                        to="matches.match",
                    ),
                ),
                ("codec", models.CharField(max_length=8)),
                ("data", models.BinaryField()),
                ("raw_bytes", models.PositiveIntegerField()),
                (
                    "created_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False
                    ),
                ),
                ("awaits_log", models.BooleanField(db_default=True, default=True)),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("awaits_log", True)),
                        fields=["match"],
                        name="replays_awaiting_log",
                    )
                ],
            },
        ),
    ]
