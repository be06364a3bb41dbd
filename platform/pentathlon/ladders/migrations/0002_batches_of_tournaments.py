"""Batches of ladders become batches of their tournaments, so that proofs have them."""

from hashlib import sha256
from typing import Any, Final

from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

from pentathlon_engines.record.record import canonical

_AT_ONCE: Final = 500


def copy_batches(apps: StateApps, editor: BaseDatabaseSchemaEditor) -> None:
    """Copy them division by division, in parts that can be repeated."""
    old = apps.get_model("ladders", "LadderBatch")
    new = apps.get_model("tournaments", "Batch")
    divisions = apps.get_model("ladders", "Division").objects.filter(batches__gt=0)
    for division, tournament in divisions.values_list("pk", "tournament"):
        made = old.objects.filter(division=division).order_by("number")
        rows = []
        digest = ""
        for each in made.iterator(chunk_size=_AT_ONCE):
            note: dict[str, Any] = {"wanted": each.wanted, "told": each.told}
            digest = sha256(canonical({"before": digest, **note})).hexdigest()
            rows.append(
                new(
                    tournament_id=tournament,
                    number=each.number,
                    input=note,
                    input_digest=digest,
                    first_block=each.first_block,
                    last_block=each.first_block + len(each.groups) - 1,
                    made_at=each.made_at,
                )
            )
            if len(rows) == _AT_ONCE:
                new.objects.bulk_create(rows, ignore_conflicts=True)
                rows.clear()
        new.objects.bulk_create(rows, ignore_conflicts=True)


class Migration(migrations.Migration):
    atomic = False
    why_it_may_lock = "No release had ladders before this table went."

    dependencies = [
        ("ladders", "0001_initial"),
        ("tournaments", "0015_organising"),
    ]

    operations = [
        migrations.RunPython(copy_batches, migrations.RunPython.noop),
        migrations.DeleteModel(name="LadderBatch"),
        migrations.AddField(
            model_name="season",
            name="unopened",
            field=models.PositiveSmallIntegerField(db_default=0, default=0),
        ),
    ]
