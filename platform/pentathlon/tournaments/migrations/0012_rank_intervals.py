from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tournaments", "0011_due_index"),
    ]

    operations = [
        migrations.AddField(
            model_name="finalrow",
            name="rank_low",
            field=models.PositiveIntegerField(null=True),
        ),
        migrations.AddField(
            model_name="finalrow",
            name="rank_high",
            field=models.PositiveIntegerField(null=True),
        ),
    ]
