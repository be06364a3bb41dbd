from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("replays", "0002_clock_of_the_database"),
    ]

    operations = [
        migrations.AddField(
            model_name="replay",
            name="awaits_log",
            field=models.BooleanField(db_default=True, default=True),
        ),
    ]
