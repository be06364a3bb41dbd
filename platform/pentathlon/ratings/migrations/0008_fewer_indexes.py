import django.db.models.deletion
from django.db import migrations, models
from django.db.models import Q

from pentathlon.common.indexes import AddIndexOnline, RemoveFieldIndexOnline


class Migration(migrations.Migration):
    """Each of these keys leads another index: writing it twice was the dearest part of a row."""

    atomic = False

    dependencies = [
        ("ratings", "0007_course"),
    ]

    operations = [
        AddIndexOnline(
            model_name="ledgerrow",
            index=models.Index(
                fields=("pool", "course", "reason", "seq"),
                condition=Q(course__isnull=False),
                name="ratings_course",
            ),
        ),
        RemoveFieldIndexOnline(
            model_name="ledgerrow",
            name="pool",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="rows",
                to="ratings.pool",
            ),
        ),
        RemoveFieldIndexOnline(
            model_name="ratingchange",
            name="row",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="changes",
                to="ratings.ledgerrow",
            ),
        ),
        RemoveFieldIndexOnline(
            model_name="ratingchange",
            name="version",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="rating_changes",
                to="bots.botversion",
            ),
        ),
    ]
