from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("fleet", "0001_initial"),
    ]

    operations = [
        migrations.AddField(
            model_name="worker",
            name="untried",
            field=models.JSONField(db_default=[], default=list),
        ),
    ]
