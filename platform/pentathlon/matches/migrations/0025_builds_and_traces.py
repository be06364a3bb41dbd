from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("matches", "0024_index_of_validations"),
    ]

    operations = [
        migrations.AddField(
            model_name="match",
            name="referee_build",
            field=models.CharField(blank=True, db_default="", max_length=40),
        ),
        migrations.AddField(
            model_name="match",
            name="bots_build",
            field=models.CharField(blank=True, db_default="", max_length=40),
        ),
        migrations.AddField(
            model_name="match",
            name="traceparent",
            field=models.CharField(blank=True, db_default="", max_length=55),
        ),
    ]
