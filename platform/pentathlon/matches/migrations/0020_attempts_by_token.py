from django.db import migrations, models
from django.db.models import Q

from pentathlon.common.indexes import AddIndexOnline


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("matches", "0019_attempts_of_tokens"),
    ]

    operations = [
        AddIndexOnline(
            model_name="attempt",
            index=models.Index(
                fields=("worker_token", "id"),
                condition=Q(worker_token__isnull=False),
                name="matches_attempt_of_token",
            ),
        ),
    ]
