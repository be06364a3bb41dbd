from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tournaments", "0008_held_lanes"),
    ]

    operations = [
        migrations.AlterField(
            model_name="tournament",
            name="state",
            field=models.CharField(
                choices=[
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
    ]
