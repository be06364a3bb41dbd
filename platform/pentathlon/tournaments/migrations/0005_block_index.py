from django.db import migrations, models

from pentathlon.common.indexes import AddIndexOnline


class Migration(migrations.Migration):
    atomic = False
    dependencies = (("tournaments", "0004_sealed_seeds"),)

    operations = (
        AddIndexOnline(
            model_name="tournamentmatch",
            index=models.Index(fields=["tournament", "block"], name="tournaments_block"),
        ),
    )
