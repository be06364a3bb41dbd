from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def count_planned(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Note how many matches the tournaments have that were started before this was counted."""
    for tournament in apps.get_model("tournaments", "Tournament").objects.exclude(pool=None):
        tournament.planned = tournament.scheduled = tournament.tournament_matches.count()
        tournament.save(update_fields=("planned", "scheduled"))


class Migration(migrations.Migration):
    why_it_may_lock = "One row of each tournament is changed, in the time it takes to count."

    dependencies = [
        ("tournaments", "0006_entries_that_leave"),
    ]

    operations = [
        migrations.AddField(
            model_name="tournament",
            name="planned",
            field=models.PositiveIntegerField(db_default=0, default=0),
        ),
        migrations.AddField(
            model_name="tournament",
            name="scheduled",
            field=models.PositiveIntegerField(db_default=0, default=0),
        ),
        migrations.RunPython(count_planned, migrations.RunPython.noop),
    ]
