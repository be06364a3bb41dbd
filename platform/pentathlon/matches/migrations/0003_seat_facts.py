from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("matches", "0002_lifecycle"),
    ]

    operations = [
        migrations.AddField(
            model_name="matchseat",
            name="exit_status",
            field=models.IntegerField(null=True),
        ),
        migrations.AddField(
            model_name="matchseat",
            name="stderr_bytes",
            field=models.PositiveBigIntegerField(default=0),
        ),
        migrations.AddField(
            model_name="matchseat",
            name="stdout_bytes",
            field=models.PositiveBigIntegerField(default=0),
        ),
        migrations.AddField(
            model_name="seatlog",
            name="trace",
            field=models.JSONField(null=True),
        ),
    ]
