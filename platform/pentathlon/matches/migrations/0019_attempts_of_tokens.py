from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("matches", "0018_hidden_lanes"),
    ]

    operations = [
        migrations.AddField(
            model_name="attempt",
            name="worker_token",
            field=models.PositiveBigIntegerField(null=True),
        ),
    ]
