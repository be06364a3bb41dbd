from django.db import migrations, models
from django.db.models import Q

from pentathlon.common.indexes import AddIndexOnline


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("analyses", "0002_loans"),
    ]

    operations = [
        AddIndexOnline(
            model_name="analysis",
            index=models.Index(
                fields=["-lent_at"], condition=Q(lent_at__isnull=False), name="analyses_lent"
            ),
        ),
    ]
