"""Decides which seeds may be shown, as in proofs: those with which no match is still played.

A seed stays sealed until the last match of its block is done. A void match may be requeued, so its
block stays sealed until the tournament is over and its secret is public. In a challenge, a void
match stays void, and the matches of a block are those with its seed.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Final

from django.db.models import BooleanField, Case, Exists, Max, Min, OuterRef, Q, When

from pentathlon.core.errors import Conflict, NotFound
from pentathlon.matches.models import Match, MatchKind, MatchQuerySet, MatchSeat, MatchState
from pentathlon.tournaments.batches import FormerLeg
from pentathlon.tournaments.documents.document import document_json, entrants, revealed_event_key
from pentathlon.tournaments.models import Tournament, TournamentMatch, TournamentMatchQuerySet
from pentathlon.tournaments.scheduling.blocks import numbers_of_versions
from pentathlon_engines.tournament.document import document_hash
from pentathlon_engines.tournament.proof import BATCH_COLUMNS, COLUMNS, FORMAT
from pentathlon_engines.tournament.proof_schedule import Proof

_SEALED: Final = "is_sealed"
"""The attribute that `with_seals` adds to a match."""
_UNFINISHED: Final = Q(state__in=(MatchState.PENDING, MatchState.RUNNING))
LARGEST_PART: Final = 10_000
"""Matches in a part; as blocks stay whole, there may be some more or fewer."""
Row = list[object]
_FIELDS = ("index", "round", "block", "match_id", "match__state")
_SEALED_FIELDS = ("match__seed", "match__alias")


def with_seals(matches: MatchQuerySet) -> MatchQuerySet:
    """Add `is_sealed` to every match."""
    same_block = Match.objects.filter(lane=OuterRef("lane"), seed=OuterRef("seed"))
    reasons = (
        _UNFINISHED,
        Q(kind=MatchKind.CHALLENGE) & Q(Exists(same_block.filter(_UNFINISHED))),
        Q(Exists(_open_legs("place"))),
        # A match that is played again has the seed of the match that it replaces.
        Q(Exists(_open_legs("former_place__place"))),
    )
    # A CASE stops at the first reason; SQLite evaluates every part of an OR, so all matches of a
    # lane even for challenges.
    found = Case(
        *(When(reason, then=True) for reason in reasons),
        default=False,
        output_field=BooleanField(),
    )
    return matches.annotate(**{_SEALED: found})


def _open_legs(place: str) -> TournamentMatchQuerySet:
    block = OuterRef(f"{place}__block")
    legs = TournamentMatch.objects.filter(
        tournament=OuterRef(f"{place}__tournament"),
        # A range keeps PostgreSQL on the index: for an equality it reads all waiting matches
        # instead.
        block__range=(block, block),
        tournament__revealed_at=None,
    )
    return legs.exclude(match__state=MatchState.DONE)


def sealed_blocks(places: TournamentMatchQuerySet) -> set[int]:
    """Return the blocks of these places whose seeds may not be shown yet."""
    # Reads the present row: the caller's tournament may be older, and must not decide that its
    # secret is revealed.
    open_legs = places.filter(tournament__revealed_at=None).exclude(match__state=MatchState.DONE)
    return set(open_legs.values_list("block", flat=True))


def check_unsealed(match: Match) -> None:
    """Refuse an answer that would show the seed of a match while it is sealed.

    Raises:
        Conflict: `sealed`.
    """
    done = Match.objects.filter(pk=match.pk, state=MatchState.DONE)
    if any(not each.is_sealed for each in with_seals(done)):
        return
    raise Conflict(
        f"The seed of match {match.pk} is sealed: its record becomes available when the last "
        "match of its block is done.",
        code="sealed",
    )


def count_parts(tournament: Tournament) -> int:
    """Return the number of parts of the matches made so far; 1 even if there are none."""
    return max(1, -(-tournament.scheduled // LARGEST_PART))


def places_of_part(tournament: Tournament, number: int) -> TournamentMatchQuerySet:
    """Return the places of the matches of one part, in schedule order.

    Raises:
        NotFound: the tournament has fewer parts.
    """
    parts = count_parts(tournament)
    if not 1 <= number <= parts:
        raise NotFound(f"There is no part {number}: {tournament.name} has {parts}.")
    places = TournamentMatch.objects.filter(tournament=tournament)
    if parts == 1:
        return places.order_by("index")
    first, beyond = (_begin(tournament, each * LARGEST_PART) for each in (number - 1, number))
    places = places.filter(index__gte=first)
    return places.filter(index__lt=beyond).order_by("index")


def _begin(tournament: Tournament, index: int) -> int:
    """Return the index at which a part begins: its first block stays whole, with its seed."""
    places = TournamentMatch.objects.filter(tournament=tournament)
    block = places.filter(index=index + 1).values_list("block", flat=True).first()
    if block is None:
        return index + 1
    return places.filter(block=block).order_by("index").values_list("index", flat=True)[0]


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
