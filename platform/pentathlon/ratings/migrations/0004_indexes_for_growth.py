from django.db import migrations, models
from django.db.models import Q

from pentathlon.common.indexes import AddIndexOnline


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("ratings", "0003_scores"),
    ]

    operations = [
        AddIndexOnline(
            model_name="ledgerrow",
            index=models.Index(
                fields=("id",), condition=Q(state="waiting"), name="ratings_waiting_in_turn"
            ),
        ),
        AddIndexOnline(
            model_name="ledgerrow",
            index=models.Index(
                fields=("pool", "ended_at", "match"),
                condition=Q(state="ready"),
                name="ratings_ready",
            ),
        ),
        AddIndexOnline(
            model_name="ratingchange",
            index=models.Index(
                fields=("version", "nth"),
                condition=Q(nth__isnull=False),
                name="ratings_landmarks",
            ),
        ),
    ]
