"""Pairs the batches of a division again, from what is stored of each, and compares."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import Final

from pentathlon.ladders.field import Candidate, hear, pair_field
from pentathlon.ladders.models import Division, LadderBatch
from pentathlon.ratings.verification import Difference
from pentathlon.tournaments.document import event_key
from pentathlon.tournaments.models import TournamentMatch
from pentathlon.tournaments.schedule_verification import read_seatings
from pentathlon_engines.tournament.batches import pairings_of
from pentathlon_engines.tournament.formats.blocks import Group, count_meetings, seatings_of
from pentathlon_engines.tournament.formats.interface import PlannedBlock
from pentathlon_engines.tournament.schedule import Pairing

Leg = tuple[int, tuple[int, ...], int, str]
"""Index, seating, seed and alias of a match."""
_AT_ONCE: Final = 200
"""Batches that are read together."""


def verify_division(division: Division) -> list[Difference]:
    """Make every batch again; return where pairings, seeds, names or matches differ."""
    return list(_differences(division))


def _differences(division: Division) -> Iterator[Difference]:
    key, seats = event_key(division.tournament), division.tournament.table_seats
    pool = f"tournament {division.tournament_id}"
    made = _stored(division)
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
            first = (blocks - 1) * len(seatings) + 1
            block = PlannedBlock(batch.number, seatings)
            planned = _legs(pairings_of([block], first_block=blocks, first_index=first, key=key))
            if made[blocks] != planned:
                where = f"{place}, block {blocks}"
                yield Difference(pool=pool, place=where, stored=made[blocks], computed=planned)


def _batches(division: Division) -> Iterator[LadderBatch]:
    return division.made.order_by("number").iterator(chunk_size=_AT_ONCE)


def _legs(pairings: Iterable[Pairing]) -> list[Leg]:
    return [(each.index, each.seating, each.seed, each.alias) for each in pairings]


def _stored(division: Division) -> dict[int, list[Leg]]:
    """Return the matches of a division by the number of their block."""
    seatings = read_seatings(division.tournament)
    places = TournamentMatch.objects.filter(tournament=division.tournament_id).order_by("index")
    found: dict[int, list[Leg]] = defaultdict(list)
    rows = places.values_list("block", "index", "match", "match__seed", "match__alias")
    for block, index, match, seed, alias in rows:
        found[block].append((index, tuple(seatings[match]), seed, alias))
    return found
