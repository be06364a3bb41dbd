from django.db import migrations, models
from django.db.models import Q

from pentathlon.common.indexes import AddIndexOnline


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("replays", "0005_object_name"),
    ]

    operations = [
        AddIndexOnline(
            model_name="replay",
            index=models.Index(
                fields=["created_at"], condition=Q(object_name=""), name="replays_in_database"
            ),
        ),
    ]
