"""A tournament as a document, read from its rows and written to them."""

from __future__ import annotations

from typing import Any

from pentathlon.ratings.skill import ALGORITHM_VERSION
from pentathlon.tournaments.models import Tournament
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.tournament.document import (
    Entrant,
    TournamentDocument,
    document_hash,
    newest_scheduler,
)
from pentathlon_engines.tournament.seeds import event_key_of


def columns_of(document: TournamentDocument) -> dict[str, Any]:  # Any: values of columns
    """Return the columns of a tournament that a checked document decides."""
    return {
        "game": document.game,
        "format": document.scheduler.partition("/")[0],
        "rules_version": document.rules,
        "options": document.options,
        "limits": document.limits,
        "table_seats": document.table_seats,
        "cycles": document.cycles,
        "params": {"cycles": document.cycles},
        "draw_probability": document.draw_probability,
    }


def draft_document(tournament: Tournament) -> TournamentDocument:
    """Return the document that follows from the rows as they are now."""
    pool = tournament.pool
    return TournamentDocument(
        scheduler=newest_scheduler(tournament.format),
        commitment=tournament.commitment,
        game=tournament.game,
        rules=tournament.rules_version,
        options=tournament.options,
        # All of them: another release may have other defaults.
        limits=Limits.from_json(tournament.limits).to_json(),
        table_seats=tournament.table_seats,
        cycles=tournament.cycles,
        rating_algorithm=ALGORITHM_VERSION,
        draw_probability=pool.draw_probability if pool else tournament.draw_probability,
        entries=tuple(
            Entrant(entry.version.bot.name, entry.version.number, entry.version.archive_id)
            for entry in tournament.entries.in_order()
        ),
    )


def document(tournament: Tournament) -> TournamentDocument:
    """Return everything that decides who plays whom, and how it is rated.

    The start fixes it; before, it shows how the tournament stands now.

    Raises:
        BadDocument: the tournament began before seeds were sealed.
    """
    return TournamentDocument.from_json(document_json(tournament))


def document_json(tournament: Tournament) -> dict[str, Any]:  # Any: JSON
    """Return the document as it is published, in whatever format it was fixed."""
    fixed: dict[str, Any] | None = tournament.fixed_document
    return draft_document(tournament).to_json() if fixed is None else fixed


def event_key(tournament: Tournament) -> bytes:
    """Return the key from which the schedule and all seeds follow; secret until the end."""
    secret = bytes.fromhex(tournament.secret)
    return event_key_of(secret, document_hash(document_json(tournament)))


def revealed_event_key(tournament: Tournament) -> str | None:
    """Return the event key as hexadecimal; None while it is secret."""
    is_public = tournament.revealed_secret and tournament.fixed_document
    return event_key(tournament).hex() if is_public else None
