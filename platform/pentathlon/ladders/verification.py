"""Pairs the batches of a division again, from what is stored of each, and compares."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from pentathlon.ladders.field import Candidate, hear, pair_field
from pentathlon.ladders.models import Division, LadderBatch
from pentathlon.matches.models import MatchSeat
from pentathlon.ratings.verification import Difference
from pentathlon.tournaments.document import event_key
from pentathlon.tournaments.models import TournamentMatch
from pentathlon_engines.tournament.formats.blocks import (
    Group,
    Seatings,
    count_meetings,
    seatings_of,
)
from pentathlon_engines.tournament.seeds import block_seed, match_alias

_AT_ONCE: Final = 200
"""Batches that are read together."""


def verify_division(division: Division) -> list[Difference]:
    """Make every batch again; return where pairings, seeds, names or matches differ."""
    return list(_differences(division))


def _differences(division: Division) -> Iterator[Difference]:
    key, seats = event_key(division.tournament), division.tournament.table_seats
    pool = f"tournament {division.tournament_id}"
    field: dict[int, Candidate] = {}
    meetings: Counter[Group] = Counter()
    blocks = 0
    for batch in _batches(division):
        hear(field, batch.told)
        present = {pair: n for pair, n in meetings.items() if field.keys() >= set(pair)}
        paired = pair_field(
            field.values(),
            meetings=present,
            seats=seats,
            wanted=batch.wanted,
            made=blocks,
            key=key,
        )
        computed = [block.seatings for block in paired]
        stored = [seatings_of(tuple(group)) for group in batch.groups]
        place = f"ladder division {division.pk}, batch {batch.number}"
        if stored != computed:
            yield Difference(pool=pool, place=place, stored=stored, computed=computed)
        for seatings in stored:
            blocks += 1
            meetings.update(count_meetings([seatings]))
            planned = _legs(seatings, block=blocks, key=key)
            found = _found(division, blocks)
            if found != planned:
                where = f"{place}, block {blocks}"
                yield Difference(pool=pool, place=where, stored=found, computed=planned)


def _batches(division: Division) -> Iterator[LadderBatch]:
    return division.made.order_by("number").iterator(chunk_size=_AT_ONCE)


def _legs(seatings: Seatings, *, block: int, key: bytes) -> list[tuple[object, ...]]:
    first = (block - 1) * len(seatings) + 1
    return [
        (index, seating, block_seed(key, block), match_alias(key, index))
        for index, seating in enumerate(seatings, start=first)
    ]


def _found(division: Division, block: int) -> list[tuple[object, ...]]:
    places = TournamentMatch.objects.filter(tournament=division.tournament_id, block=block)
    numbers = dict(division.tournament.entries.values_list("version", "number"))
    rows = places.order_by("index").values_list("index", "match", "match__seed", "match__alias")
    found: list[tuple[object, ...]] = []
    for index, match, seed, alias in rows:
        seats = MatchSeat.objects.filter(match=match).order_by("seat")
        seating = tuple(numbers[version] for version in seats.values_list("version", flat=True))
        found.append((index, seating, seed, alias))
    return found
