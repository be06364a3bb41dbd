from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

_NUMBERED = """
    SELECT c.id, row_number() OVER (PARTITION BY r.pool_id, c.version_id ORDER BY r.seq)
    FROM ratings_ratingchange c JOIN ratings_ledgerrow r ON r.id = c.row_id
    JOIN ratings_pool p ON p.id = r.pool_id
    WHERE r.state = 'applied' AND p.key LIKE 'game:%'
"""
_BATCH = 1000


def number_landmarks(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Number the changes that charts need, as they are numbered when they are stored."""
    changes = apps.get_model("ratings", "RatingChange")
    with schema_editor.connection.cursor() as cursor:
        cursor.execute(_NUMBERED)
        numbered = cursor.fetchall()
    kept = [changes(pk=pk, nth=nth) for pk, nth in numbered if not nth % _step(nth)]
    for start in range(0, len(kept), _BATCH):
        changes.objects.bulk_update(kept[start : start + _BATCH], ["nth"])


def _step(nth: int) -> int:
    return 1 << max(0, nth.bit_length() - 7)


class Migration(migrations.Migration):
    atomic = False
    why_it_may_lock = "Rows are changed in small batches, and nobody else changes them."

    dependencies = [
        ("ratings", "0004_indexes_for_growth"),
    ]

    operations = [
        migrations.RunPython(number_landmarks, migrations.RunPython.noop),
    ]
