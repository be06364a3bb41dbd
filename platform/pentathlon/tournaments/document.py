"""A tournament as a document: the same document gives the same schedule and seeds every time."""

from __future__ import annotations

from typing import Any

from pentathlon.tournaments.models import Tournament
from pentathlon.tournaments.schedule import SCHEDULER, Pairing, round_robin

Document = dict[str, Any]  # Any: JSON


def document(tournament: Tournament) -> Document:
    """Return everything that decides who plays whom, with which seed, and how it is rated.

    `rules` and `draw_probability` are final from the start of the tournament on.
    """
    pool = tournament.pool
    return {
        "format": 1,
        "scheduler": SCHEDULER,
        "game": tournament.game,
        "rules": tournament.rules_version,
        "options": tournament.options,
        "limits": tournament.limits,
        "table_seats": tournament.table_seats,
        "cycles": tournament.cycles,
        "seed": tournament.seed,
        "rated": tournament.rated,
        "draw_probability": pool.draw_probability if pool else None,
        "entries": [
            {
                "bot": entry.version.bot.name,
                "version": entry.version.number,
                "hash": entry.version.archive_id,
            }
            for entry in tournament.entries.in_order()
        ],
    }


def pairings(source: Document) -> list[Pairing]:
    """Return the schedule that follows from a document; seatings are indexes of its entries."""
    return round_robin(
        len(source["entries"]),
        seats=source["table_seats"],
        cycles=source["cycles"],
        seed=source["seed"],
    )
