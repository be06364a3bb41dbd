from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("matches", "0016_challenges"),
    ]

    operations = [
        migrations.AlterField(
            model_name="match",
            name="kind",
            field=models.CharField(
                choices=[
                    ("validation", "validation of an upload"),
                    ("tournament", "tournament"),
                    ("challenge", "challenge"),
                    ("ladder", "ladder"),
                ],
                max_length=12,
            ),
        ),
    ]
