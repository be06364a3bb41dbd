from django.db import migrations, models
from django.db.models import Q

from pentathlon.common.indexes import AddIndexOnline


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("matches", "0025_builds_and_traces"),
    ]

    operations = [
        AddIndexOnline(
            model_name="match",
            index=models.Index(
                fields=("id",), condition=Q(state="pending"), name="matches_waiting_in_turn"
            ),
        ),
    ]
