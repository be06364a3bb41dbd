from django.db import migrations, models
from django.db.models import Q

from pentathlon.common.indexes import AddIndexOnline


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("replays", "0003_log"),
    ]

    operations = [
        AddIndexOnline(
            model_name="replay",
            index=models.Index(
                fields=["match"], condition=Q(awaits_log=True), name="replays_awaiting_log"
            ),
        ),
    ]
