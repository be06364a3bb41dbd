from django.db import migrations, models
from django.db.models import Q

from pentathlon.common.indexes import AddIndexOnline


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("matches", "0023_name_validated_versions"),
    ]

    operations = [
        AddIndexOnline(
            model_name="match",
            index=models.Index(
                fields=("validated_version", "id"),
                condition=Q(validated_version__isnull=False),
                name="matches_validations",
            ),
        ),
    ]
