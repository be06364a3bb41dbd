from django.db import migrations, models


def rank_all_failed(apps, schema_editor):
    """Rank all seats as lost in matches in which every seat failed; all had rank 0 before."""
    seats = apps.get_model("matches", "MatchSeat").objects
    honest = seats.filter(match=models.OuterRef("match"), fault_kind="")
    failed = seats.filter(rank=0, match__state="done", match__outcome_reason="fault")
    failed.exclude(fault_kind="").filter(~models.Exists(honest)).update(rank=1)


class Migration(migrations.Migration):
    why_it_may_lock = (
        "It first changes rows of ended matches, which nobody else writes, and only then takes "
        "the locks of the new columns, for a moment."
    )
    dependencies = [
        ("matches", "0005_blamed_version"),
    ]

    operations = [
        migrations.RunPython(rank_all_failed, migrations.RunPython.noop),
        migrations.AddField(
            model_name="match",
            name="is_revoked",
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AddField(
            model_name="matchseat",
            name="actions",
            field=models.PositiveIntegerField(null=True),
        ),
    ]
