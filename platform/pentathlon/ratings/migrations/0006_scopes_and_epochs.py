from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("ratings", "0005_landmarks"),
    ]

    operations = [
        migrations.AddField(
            model_name="pool",
            name="scope",
            field=models.CharField(blank=True, db_default="", max_length=16),
        ),
        migrations.AddField(
            model_name="pool",
            name="setting",
            field=models.JSONField(db_default={}, default=dict),
        ),
        migrations.AddField(
            model_name="pool",
            name="epoch",
            field=models.PositiveIntegerField(db_default=1, default=1),
        ),
        migrations.AddField(
            model_name="pool",
            name="beta",
            field=models.FloatField(db_default=25 / 6, default=25 / 6),
        ),
    ]
