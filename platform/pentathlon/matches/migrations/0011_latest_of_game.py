from django.db import migrations, models
from django.db.models import Q

from pentathlon.common.indexes import AddIndexOnline


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("matches", "0010_held_lanes"),
    ]

    operations = [
        AddIndexOnline(
            model_name="match",
            index=models.Index(
                fields=("game", "-finished_at", "-id"),
                condition=Q(state="done"),
                name="matches_latest_of_game",
            ),
        ),
    ]
