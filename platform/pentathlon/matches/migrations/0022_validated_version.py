from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("matches", "0021_reserved_matches"),
    ]

    operations = [
        migrations.AddField(
            model_name="match",
            name="validated_version",
            field=models.PositiveBigIntegerField(null=True),
        ),
    ]
