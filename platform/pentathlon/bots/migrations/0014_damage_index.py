from django.db import migrations, models

from pentathlon.common.indexes import AddIndexOnline


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("bots", "0013_damaged_archives"),
    ]

    operations = [
        AddIndexOnline(
            model_name="archive",
            index=models.Index(
                condition=models.Q(("damaged_at__isnull", False)),
                fields=["content_hash"],
                name="bots_damaged_archive",
            ),
        ),
    ]
