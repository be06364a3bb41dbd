"""Seal seeds: tournaments that are open get a secret, those that began keep their matches.

What began before had its seed in the document. That document is kept as it was; while the
tournament still runs without the seed, from which those of waiting matches follow.
"""

import secrets

from django.db import migrations, models

_SECRET_BYTES = 32
_WAITING = ("draft", "open")
_ENDED = ("closed", "cancelled")


def seal(apps, schema_editor):
    """Give every tournament what the new columns promise."""
    tournaments = apps.get_model("tournaments", "Tournament").objects
    for tournament in tournaments.select_related("pool").iterator():
        if tournament.state in _WAITING:
            tournament.secret = secrets.token_hex(_SECRET_BYTES)
        else:
            tournament.fixed_document = _old_document(apps, tournament)
        if tournament.state in _ENDED:
            tournament.revealed_at = tournament.finished_at or tournament.created_at
        tournament.save(update_fields=("secret", "fixed_document", "revealed_at"))


def _old_document(apps, tournament):
    entries = apps.get_model("tournaments", "Entry").objects.filter(tournament=tournament)
    seed = {"seed": tournament.seed} if tournament.state in _ENDED else {}
    return {
        "format": 1,
        "scheduler": "round_robin/1",
        "game": tournament.game,
        "rules": tournament.rules_version,
        "options": tournament.options,
        "limits": tournament.limits,
        "table_seats": tournament.table_seats,
        "cycles": tournament.cycles,
        **seed,
        "rated": tournament.rated,
        "draw_probability": tournament.pool.draw_probability if tournament.pool else None,
        "entries": [
            {"bot": name, "version": number, "hash": archive}
            for name, number, archive in entries.order_by("number").values_list(
                "version__bot__name", "version__number", "version__archive_id"
            )
        ],
    }


class Migration(migrations.Migration):
    why_it_may_lock = (
        "It writes one row for each tournament, and dropping NOT NULL takes a moment. The column "
        "stays for processes of the release before; the next release drops it."
    )
    dependencies = (("tournaments", "0003_results_version"),)

    operations = (
        migrations.AddField(
            model_name="tournament",
            name="secret",
            field=models.CharField(db_default="", default="", max_length=64),
        ),
        migrations.AddField(
            model_name="tournament",
            name="secret_given",
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AddField(
            model_name="tournament",
            name="revealed_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name="tournament",
            name="fixed_document",
            field=models.JSONField(null=True),
        ),
        migrations.AddField(
            model_name="tournament",
            name="draw_probability",
            field=models.FloatField(null=True),
        ),
        migrations.AddField(
            model_name="tournament",
            name="entries_per_author",
            field=models.PositiveSmallIntegerField(db_default=3, default=3),
        ),
        migrations.RunPython(seal, migrations.RunPython.noop),
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.AlterField(
                    model_name="tournament", name="seed", field=models.BigIntegerField(null=True)
                ),
            ],
            state_operations=[migrations.RemoveField(model_name="tournament", name="seed")],
        ),
    )
