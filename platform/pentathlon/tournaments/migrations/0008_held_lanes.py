from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def hold_paused(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Hold the lanes of tournaments that were paused match by match."""
    paused = apps.get_model("tournaments", "Tournament").objects.filter(state="paused")
    lanes = apps.get_model("matches", "HeldLane")
    ids = paused.values_list("pk", flat=True)
    lanes.objects.bulk_create((lanes(lane=pk) for pk in ids), ignore_conflicts=True)


class Migration(migrations.Migration):
    why_it_may_lock = "A row is added for each tournament that is paused."

    dependencies = [
        ("matches", "0010_held_lanes"),
        ("tournaments", "0007_planned_matches"),
    ]

    operations = [
        migrations.RunPython(hold_paused, migrations.RunPython.noop),
    ]
