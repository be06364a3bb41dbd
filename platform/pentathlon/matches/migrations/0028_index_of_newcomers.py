from django.db import migrations, models
from django.db.models import Q

from pentathlon.common.indexes import AddIndexOnline


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("matches", "0027_newcomers"),
    ]

    operations = [
        AddIndexOnline(
            model_name="match",
            index=models.Index(
                fields=("newcomer_of", "id"),
                condition=Q(state="pending", on_hold=False, sent_at=None)
                & Q(newcomer_of__isnull=False),
                name="matches_of_newcomers",
            ),
        ),
    ]
