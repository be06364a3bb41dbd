from django.db import migrations, models
from django.db.models import Q

from pentathlon.common.indexes import AddIndexOnline


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("matches", "0011_latest_of_game"),
    ]

    operations = [
        AddIndexOnline(
            model_name="match",
            index=models.Index(
                fields=("lane", "-id"), condition=Q(state="void"), name="matches_void_of_lane"
            ),
        ),
        AddIndexOnline(
            model_name="matchseat",
            index=models.Index(
                fields=("-id",), condition=~Q(fault_kind=""), name="matches_faults"
            ),
        ),
    ]
