from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("replays", "0004_awaiting_log"),
    ]

    operations = [
        migrations.AddField(
            model_name="replay",
            name="object_name",
            field=models.CharField(blank=True, db_default="", default="", max_length=120),
        ),
    ]
