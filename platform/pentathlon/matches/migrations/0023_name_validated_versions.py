from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

_BATCH = 1000


def name_versions(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Store in each validation match which version it validates: the one in all of its seats."""
    matches = apps.get_model("matches", "Match").objects.filter(kind="validation")
    seats = apps.get_model("matches", "MatchSeat").objects.filter(seat=0)
    unnamed = list(matches.filter(validated_version=None).values_list("pk", flat=True))
    for start in range(0, len(unnamed), _BATCH):
        batch = unnamed[start : start + _BATCH]
        rows = seats.filter(match__in=batch).values_list("match", "version")
        matches.bulk_update(
            [matches.model(pk=match, validated_version=version) for match, version in rows],
            ["validated_version"],
        )


class Migration(migrations.Migration):
    atomic = False
    why_it_may_lock = "Validations alone are changed, in small batches."

    dependencies = [
        ("matches", "0022_validated_version"),
    ]

    operations = [
        migrations.RunPython(name_versions, migrations.RunPython.noop),
    ]
