import django.db.models.deletion
from django.db import migrations, models

from pentathlon.common.indexes import RemoveFieldIndexOnline


class Migration(migrations.Migration):
    """The table leads both unique indexes.

    Until PostgreSQL had statistics of a new table, it read all of it by this index to sort a page.
    """

    atomic = False

    dependencies = [
        ("rankings", "0002_rankingday_formerplace"),
    ]

    operations = [
        RemoveFieldIndexOnline(
            model_name="rankingline",
            name="table",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="lines",
                to="rankings.rankingtable",
            ),
        ),
    ]
