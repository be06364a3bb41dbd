"""A tournament as a document, read from its rows and written to them."""

from __future__ import annotations

from typing import Any

from pentathlon.ratings.models import Rating, live_key
from pentathlon.ratings.skill import ALGORITHM_VERSION, BETA
from pentathlon.tournaments.guards import reading
from pentathlon.tournaments.models import Entry, Tournament
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.seeds import event_key_of
from pentathlon_engines.tournament.document import (
    Entrant,
    TournamentDocument,
    UnknownScheduler,
    document_hash,
)
from pentathlon_engines.tournament.formats.interface import Format
from pentathlon_engines.tournament.formats.ladder import NAME as LADDER
from pentathlon_engines.tournament.formats.registry import FORMATS, newest_format


def columns_of(document: TournamentDocument) -> dict[str, Any]:  # Any: values of columns
    """Return the values of the columns that a checked document decides."""
    return {
        "game": document.game,
        "format": document.scheduler.partition("/")[0],
        "scheduler": document.scheduler,
        "params": dict(document.params),
        "rules_version": document.rules,
        "options": document.options,
        "limits": document.limits,
        "table_seats": document.table_seats,
        "draw_probability": document.draw_probability,
        "beta": document.beta,
        "tie_breaks": list(document.tie_breaks),
        "leaving": document.leaving or "",
    }


def draft_document(tournament: Tournament) -> TournamentDocument:
    """Return the document that follows from the rows as they are now."""
    pool = tournament.pool
    kind, seats = tournament.format, tournament.table_seats
    scheduler = tournament.scheduler or newest_format(kind, seats=seats)
    drafted = TournamentDocument(
        scheduler=scheduler,
        params=tournament.params,
        commitment=tournament.commitment,
        game=tournament.game,
        rules=tournament.rules_version,
        options=tournament.options,
        # All limits are written out, because another release may have other defaults.
        limits=Limits.from_json(tournament.limits).to_json(),
        table_seats=seats,
        rating_algorithm=ALGORITHM_VERSION,
        draw_probability=pool.draw_probability if pool else tournament.draw_probability,
        beta=_beta_of(tournament),
        tie_breaks=tuple(tournament.tie_breaks),
        leaving=tournament.leaving or None,
        entries=entrants(tournament, with_strengths=reads_results(tournament)),
    )
    return drafted if format_of(tournament) is None else drafted.written_out()


def _beta_of(tournament: Tournament) -> float:
    """Return the beta of a tournament's pool, or before there is one, the requested beta."""
    if tournament.pool is not None:
        return tournament.pool.beta
    return BETA if tournament.beta is None else tournament.beta


def format_of(tournament: Tournament) -> Format | None:
    """Return the format that makes a tournament's batches.

    Return None if this release lacks the format, or for a division, whose batches its ladder
    makes.
    """
    if tournament.is_ladder:
        return None
    kind, seats = tournament.format, tournament.table_seats
    return FORMATS.get(tournament.scheduler or newest_format(kind, seats=seats))


def reads_results(tournament: Tournament) -> bool:
    """Return whether later matches of a tournament follow from results of earlier ones."""
    found = format_of(tournament)
    return found is not None and found.reads_results


def document(tournament: Tournament) -> TournamentDocument:
    """Return everything that decides who plays whom, and how it is rated.

    The start fixes the document; before, it shows how the tournament stands now.

    Raises:
        Unreadable: another release has stored it, in a format that this one does not know.
    """
    with reading(tournament, "the document"):
        planned = TournamentDocument.from_json(document_json(tournament))
        known = (LADDER,) if tournament.is_ladder else FORMATS
        if planned.scheduler not in known:
            raise UnknownScheduler(
                f"it asks for scheduler {planned.scheduler!r}, this release has "
                f"{', '.join(map(repr, known))}"
            )
        return planned


def document_json(tournament: Tournament) -> dict[str, Any]:  # Any: JSON
    """Return the document as it is published, in the format in which it was fixed."""
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


def entrants(tournament: Tournament, *, with_strengths: bool = False) -> tuple[Entrant, ...]:
    """Return the entries by their numbers, as they are in documents and proofs."""
    entries = list(tournament.entries.in_order())
    rated: dict[int, float] = {}
    # A replay has the strengths of its document, not those of today.
    if with_strengths and tournament.draw_probability is None:
        versions = [entry.version_id for entry in entries]
        live = Rating.objects.filter(pool__key=live_key(tournament.game), version__in=versions)
        rated = dict(live.values_list("version", "score"))
    return tuple(
        Entrant(
            bot=entry.version.bot.name,
            version=entry.version.number,
            hash=entry.version.archive_id,
            author=_side(entry),
            strength=rated.get(entry.version_id)
            if entry.strength_hint is None
            else entry.strength_hint,
        )
        for entry in entries
    )


def _side(entry: Entry) -> str:
    """Return the author, or the team by a text that no author can be called."""
    if entry.team is None:
        return entry.version.bot.owner.username
    return f"team {entry.team.name}"
