from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("matches", "0014_live_of_lane"),
    ]

    operations = [
        migrations.AddField(
            model_name="match",
            name="course",
            field=models.CharField(blank=True, db_default="", max_length=32),
        ),
    ]
