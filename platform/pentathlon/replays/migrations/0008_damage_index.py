from django.db import migrations, models

from pentathlon.common.indexes import AddIndexOnline


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("replays", "0007_damage"),
    ]

    operations = [
        AddIndexOnline(
            model_name="replay",
            index=models.Index(
                condition=models.Q(("damaged_at__isnull", False)),
                fields=["match"],
                name="replays_damaged",
            ),
        ),
    ]
