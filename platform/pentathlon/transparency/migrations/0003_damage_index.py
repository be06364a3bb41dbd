from django.db import migrations, models

from pentathlon.common.indexes import AddIndexOnline


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("transparency", "0002_damage_and_restores"),
    ]

    operations = [
        AddIndexOnline(
            model_name="logentry",
            index=models.Index(
                condition=models.Q(("damaged_at__isnull", False)),
                fields=["index"],
                name="transparency_damaged",
            ),
        ),
    ]
