from django.db import migrations, models

from pentathlon.common.indexes import AddIndexOnline


class Migration(migrations.Migration):
    atomic = False
    dependencies = (("tournaments", "0010_batches"),)

    operations = (
        AddIndexOnline(
            model_name="tournamentmatch",
            index=models.Index(
                condition=models.Q(("is_due", True)), fields=["id"], name="tournaments_due"
            ),
        ),
    )
