from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("analyses", "0003_latest_loan"),
    ]

    operations = [
        migrations.AddField(
            model_name="analysis",
            name="measured",
            field=models.JSONField(null=True),
        ),
    ]
