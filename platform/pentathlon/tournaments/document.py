"""A tournament as a document: with the same secret it gives the same schedule every time."""

from __future__ import annotations

from pentathlon.ratings.skill import ALGORITHM_VERSION
from pentathlon.tournaments.models import Tournament
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.tournament.document import FORMAT, Document, document_hash
from pentathlon_engines.tournament.schedule import SCHEDULER
from pentathlon_engines.tournament.seeds import event_key_of


def document(tournament: Tournament) -> Document:
    """Return everything that decides who plays whom, and how it is rated.

    From the start on it is fixed; before, it shows how it stands now.
    """
    if tournament.fixed_document is not None:
        fixed: Document = tournament.fixed_document
        return fixed
    return draft_document(tournament)


def draft_document(tournament: Tournament) -> Document:
    """Return the document as the rows have it now."""
    pool = tournament.pool
    return {
        "format": FORMAT,
        "scheduler": SCHEDULER,
        "commitment": tournament.commitment,
        "game": tournament.game,
        "rules": tournament.rules_version,
        "options": tournament.options,
        # All of them: another release may have other defaults.
        "limits": Limits.from_json(tournament.limits).to_json(),
        "table_seats": tournament.table_seats,
        "cycles": tournament.cycles,
        "rating_algorithm": ALGORITHM_VERSION,
        "draw_probability": pool.draw_probability if pool else tournament.draw_probability,
        "entries": [
            {
                "bot": entry.version.bot.name,
                "version": entry.version.number,
                "hash": entry.version.archive_id,
            }
            for entry in tournament.entries.in_order()
        ],
    }


def event_key(tournament: Tournament) -> bytes:
    """Return the key that the schedule and all seeds follow from; never to be shown by itself."""
    return event_key_of(bytes.fromhex(tournament.secret), document_hash(document(tournament)))


def revealed_event_key(tournament: Tournament) -> str | None:
    """Return the event key as hexadecimal, once everybody may know it."""
    is_public = tournament.revealed_secret and tournament.fixed_document
    return event_key(tournament).hex() if is_public else None
