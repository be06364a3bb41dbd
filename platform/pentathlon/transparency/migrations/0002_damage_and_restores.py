import hashlib
from typing import Any

from django.db import migrations, models
from django.db.models.functions import Now


def note_digests(apps: Any, schema_editor: Any) -> None:  # Any: historical models
    tiles = apps.get_model("transparency", "LogTile").objects
    for tile in tiles.filter(digest="").iterator(100):
        tiles.filter(pk=tile.pk).update(digest=hashlib.sha256(bytes(tile.hashes)).hexdigest())


class Migration(migrations.Migration):
    why_it_may_lock = "One row for 256 receipts, and only the reconciler writes them."

    dependencies = [
        ("transparency", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="LogContinuation",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("size", models.PositiveBigIntegerField()),
                ("at", models.DateTimeField(db_default=Now(), editable=False)),
            ],
        ),
        migrations.AddField(
            model_name="logentry",
            name="damaged_at",
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name="logroot",
            name="damaged_at",
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name="logtile",
            name="damaged_at",
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name="logtile",
            name="digest",
            field=models.CharField(blank=True, db_default="", max_length=64),
        ),
        migrations.RunPython(note_digests, migrations.RunPython.noop),
    ]
