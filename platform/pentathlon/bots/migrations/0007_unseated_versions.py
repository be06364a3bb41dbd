from django.db import migrations, models
from django.db.models import Q

from pentathlon.common.indexes import AddIndexOnline


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("bots", "0006_reference_bots"),
    ]

    operations = [
        AddIndexOnline(
            model_name="botversion",
            index=models.Index(
                fields=("id",),
                condition=Q(is_seated=False, state="eligible"),
                name="bots_version_unseated",
            ),
        ),
    ]
