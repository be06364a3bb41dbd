from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models import OuterRef, Subquery


def _name_authors(models_now: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Tell the author of the versions whose validation waits, so that it is dispatched."""
    seats = models_now.get_model("matches", "MatchSeat").objects.filter(match=OuterRef("pk"))
    waiting = models_now.get_model("matches", "Match").objects.filter(
        kind="validation", state__in=("pending", "running")
    )
    waiting.update(newcomer_of=Subquery(seats.values("version__bot__owner")[:1]))


class Migration(migrations.Migration):
    why_it_may_lock = "It changes only the validations that wait or run, which are few."

    dependencies = [
        ("matches", "0026_waiting_in_turn"),
    ]

    operations = [
        migrations.AddField(
            model_name="match",
            name="newcomer_of",
            field=models.PositiveBigIntegerField(null=True),
        ),
        migrations.RunPython(_name_authors, migrations.RunPython.noop),
    ]
