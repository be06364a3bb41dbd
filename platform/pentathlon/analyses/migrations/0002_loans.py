from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("analyses", "0001_initial"),
    ]

    operations = [
        migrations.AddField(
            model_name="analysis",
            name="lent_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name="analysis",
            name="lent_ms",
            field=models.PositiveIntegerField(null=True),
        ),
    ]
