"""The proof of a tournament's draw, which anybody can check, without sealed seeds."""

from __future__ import annotations

from collections import defaultdict

from django.db.models import Max, Min

from pentathlon.matches.models import MatchSeat, MatchState
from pentathlon.tournaments.batches import FormerLeg
from pentathlon.tournaments.documents.document import document_json, entrants, revealed_event_key
from pentathlon.tournaments.models import Tournament, TournamentMatchQuerySet
from pentathlon.tournaments.scheduling.blocks import numbers_of_versions
from pentathlon.tournaments.scheduling.parts import count_parts, places_of_part
from pentathlon_engines.tournament.document import document_hash
from pentathlon_engines.tournament.proof import BATCH_COLUMNS, COLUMNS, FORMAT
from pentathlon_engines.tournament.proof_schedule import Proof

Row = list[object]
_FIELDS = ("index", "round", "block", "match_id", "match__state")
_SEALED_FIELDS = ("match__seed", "match__alias")


def proof(tournament: Tournament, *, part: int = 1) -> Proof:
    """Return a part of the proof that `pentathlon verify --tournament` reads; a few queries."""
    source = document_json(tournament)
    places = places_of_part(tournament, part)
    is_ladder = tournament.is_ladder
    return {
        "format": FORMAT,
        "tournament": tournament.pk,
        "name": tournament.name,
        "state": tournament.state,
        "commitment": tournament.commitment,
        "secret": tournament.revealed_secret,
        "event_key": revealed_event_key(tournament),
        "document": source,
        "document_hash": document_hash(source) if tournament.fixed_document else None,
        "part": part,
        "parts": count_parts(tournament),
        **({"entries": [each._asdict() for each in entrants(tournament)]} if is_ladder else {}),
        "batches": _batches(tournament, places if is_ladder else None),
        "replayed": _replayed(tournament),
        "replacements": [each.stated().to_json() for each in tournament.replacements.in_order()],
        "columns": list(COLUMNS),
        "matches": _matches(tournament, places),
    }


def _matches(tournament: Tournament, places: TournamentMatchQuerySet) -> list[Row]:
    rows = list(places.values_list(*_FIELDS, *_SEALED_FIELDS, "match__chain"))
    # Computed from these very rows, so that no block is unsealed between two queries.
    sealed = (
        set()
        if tournament.revealed_at
        else {block for _, _, block, _, state, *_ in rows if state != MatchState.DONE}
    )
    seats = _seats(tournament, places)
    return [
        [
            *(index, round_number, block, [number for number, _ in seats[match]], match, state),
            *((None, None) if block in sealed else (seed, alias or str(match))),
            chain or None,
            [rank for _, rank in seats[match]] if state == MatchState.DONE else None,
        ]
        for index, round_number, block, match, state, seed, alias, chain in rows
    ]


def _seats(
    tournament: Tournament, places: TournamentMatchQuerySet
) -> dict[int, list[tuple[int, int | None]]]:
    """Return the entry number and the rank of each seat, by match."""
    numbers = numbers_of_versions(tournament)
    seats = MatchSeat.objects.filter(match__place__in=places.order_by()).order_by("match", "seat")
    found: dict[int, list[tuple[int, int | None]]] = defaultdict(list)
    for match, version, rank in seats.values_list("match", "version", "rank"):
        found[match].append((numbers[version], rank))
    return found


def _batches(tournament: Tournament, places: TournamentMatchQuerySet | None) -> list[Row]:
    """Return the notes of all batches, or of those that begin with a block of these places.

    Notes contain results of complete blocks only; those of ladders contain live ratings, which are
    public.
    """
    rows = tournament.batches.order_by("number")
    if places is not None:
        ends = places.order_by().aggregate(first=Min("block"), last=Max("block"))
        rows = rows.filter(first_block__range=(ends["first"] or 0, ends["last"] or 0))
    return [list(row) for row in rows.values_list(*BATCH_COLUMNS)]


def _replayed(tournament: Tournament) -> list[int]:
    """Return the blocks in which a match was played again after it had a result."""
    former = FormerLeg.objects.filter(place__tournament=tournament)
    return sorted(set(former.values_list("place__block", flat=True)))
