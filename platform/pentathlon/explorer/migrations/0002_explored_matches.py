from django.db import migrations, models


def count_anew(apps, schema_editor):
    """Forget all that was counted, because nobody noted in which positions each match was."""
    for name in ("ExploredGame", "ExploredPosition", "ExploredMatch"):
        apps.get_model("explorer", name).objects.all().delete()


class Migration(migrations.Migration):
    """Note how deep each match was counted, so that a correction can take it back."""

    why_it_may_lock = (
        "Only the reconciler writes these tables. What was counted is counted again soon after."
    )
    dependencies = [
        ("explorer", "0001_initial"),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RenameModel(old_name="UncountedMatch", new_name="ExploredMatch"),
                migrations.AlterModelTable(name="exploredmatch", table="explorer_uncountedmatch"),
            ],
        ),
        migrations.RunPython(count_anew, migrations.RunPython.noop),
        migrations.AddField(
            model_name="exploredmatch",
            name="lane",
            field=models.PositiveBigIntegerField(db_default=0, default=0),
        ),
        migrations.AddField(
            model_name="exploredmatch",
            name="depth",
            field=models.PositiveSmallIntegerField(db_default=0, default=0),
        ),
        migrations.AddField(
            model_name="exploredmatch",
            name="is_due",
            field=models.BooleanField(db_default=True, default=True),
        ),
        migrations.AddIndex(
            model_name="exploredmatch",
            index=models.Index(
                condition=models.Q(is_due=True), fields=["lane"], name="explorer_due"
            ),
        ),
    ]
