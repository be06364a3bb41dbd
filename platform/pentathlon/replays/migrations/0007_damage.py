from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("replays", "0006_in_database"),
    ]

    operations = [
        migrations.AddField(
            model_name="replay",
            name="damaged_at",
            field=models.DateTimeField(editable=False, null=True),
        ),
    ]
