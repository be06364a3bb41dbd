"""Whole tournaments with made-up results, and what is wrong with their pairings."""

from __future__ import annotations

import time
import tracemalloc
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from hashlib import sha256
from itertools import combinations
from random import Random
from typing import Final, NamedTuple

from pentathlon_engines.tournament.formats.interface import (
    Batch,
    FieldEntry,
    Format,
    Plan,
    PlannedBlock,
    PlayedBlock,
    Step,
)
from pentathlon_engines.tournament.formats.parameters import full_params
from pentathlon_engines.tournament.formats.registry import FORMATS
from pentathlon_engines.tournament.formats.swiss import Swiss, count_byes

SWISS_ROUNDS: Final = 9
_SMALL_BUDGET: Final = 60
_SURE_SIZE: Final = 2 * SWISS_ROUNDS
"""In a field of this size, everybody has half the field left to meet after eight rounds. By
Dirac's theorem there is a pairing without a rematch, so any rematch is avoidable."""
_DRAWN: Final = 0.1

Row = Sequence[int]


class TableFigures(NamedTuple):
    """Figures about the balance of one tournament's tables."""

    never: int
    """The number of pairs that never meet."""
    apart: int
    """The most meetings of a pair, less the fewest, in blocks."""
    seats_apart: int
    """The most matches of a bot in one seat, less the fewest."""
    cpu_s: float


class SwissFigures(NamedTuple):
    """Faults in the rounds of one event."""

    rounds: int
    rematches: int
    avoidable: int
    """Rounds with a rematch or a second bye although a pairing without one exists."""
    slowest_s: float


def field_of(bots: int, *, authors: int | None = None) -> list[FieldEntry]:
    """Return entries; with fewer authors than bots, some share one."""
    return [FieldEntry(number, f"author {number % (authors or bots)}") for number in range(bots)]


def plan_of(format_: Format, *, seats: int, key: bytes, **params: object) -> Plan:
    """Return a plan with all defaults written out."""
    return Plan(seats=seats, params=full_params(format_.parameters, params), key=key)


def key_of(seed: int) -> bytes:
    """Return an event key."""
    return sha256(str(seed).encode()).digest()


def play_batches(
    format_: Format, plan: Plan, entries: Sequence[FieldEntry], *, seed: int
) -> Iterator[tuple[Batch, list[PlayedBlock]]]:
    """Yield each batch and all blocks before it; a stronger bot has the lower number."""
    random = Random(seed)
    played: list[PlayedBlock] = []
    while isinstance(step := format_.next(plan, entries, played), Batch):
        yield step, played
        played = played + [_play(block, random) for block in step.blocks]


def check_tables(task: tuple[int, int, int]) -> TableFigures:
    """Draw tables for this number of bots, number of seats and seed; check their balance."""
    bots, seats, seed = task
    tables = FORMATS["tables/2"]
    plan = plan_of(tables, seats=seats, key=key_of(seed))
    meetings = Counter(dict.fromkeys(combinations(range(bots), 2), 0))
    places: Counter[tuple[int, int]] = Counter()
    start = time.process_time()
    for batch, _ in play_batches(tables, plan, field_of(bots), seed=seed):
        for block in batch.blocks:
            meetings.update(combinations(sorted(block.seatings[0]), 2))
            for seating in block.seatings:
                places.update((bot, seat) for seat, bot in enumerate(seating))
    return TableFigures(
        never=sum(not count for count in meetings.values()),
        apart=max(meetings.values()) - min(meetings.values()),
        seats_apart=max(places.values()) - min(places.values()),
        cpu_s=time.process_time() - start,
    )


def check_swiss(task: tuple[int, int]) -> SwissFigures:
    """Play a Swiss of up to nine rounds with this number of bots and seed."""
    bots, seed = task
    swiss = Swiss()
    rounds = min(SWISS_ROUNDS, bots - 1 + bots % 2)
    plan = plan_of(swiss, seats=2, key=key_of(seed), rounds=rounds)
    entries = field_of(bots, authors=max(2, bots * 3 // 4))
    rematches = avoidable = made = 0
    slowest = 0.0
    start = time.process_time()
    for batch, played in play_batches(swiss, plan, entries, seed=seed):
        slowest = max(slowest, time.process_time() - start)
        made += 1
        met = {frozenset(block.seatings[0]) for block in played}
        byes = set(count_byes(entries, played))
        pairs = [frozenset(block.seatings[0]) for block in batch.blocks]
        seated = {bot for pair in pairs for bot in pair}
        again = sum(pair in met for pair in pairs) + len(byes - seated)
        rematches += again
        avoidable += bool(again) and (bots >= _SURE_SIZE or _can_avoid(bots, met, byes))
        start = time.process_time()
    return SwissFigures(made, rematches, avoidable, slowest)


def count_worse_rounds(task: tuple[int, int]) -> int:
    """Count the rounds of a small Swiss that are not the unique best of all pairings."""
    bots, seed = task
    swiss = Swiss()
    plan = plan_of(swiss, seats=2, key=key_of(seed), rounds=bots - 1 + bots % 2)
    entries = field_of(bots, authors=max(2, bots - 2))
    worse = 0
    for batch, played in play_batches(swiss, plan, entries, seed=seed):
        players, costs = swiss.round_costs(plan, entries, played)
        totals = sorted(_all_totals(costs))
        pairs = [block.seatings[0] for block in batch.blocks]
        seated = {bot for pair in pairs for bot in pair}
        places = [tuple(map(players.index, pair)) for pair in pairs]
        free = tuple(place for place, bot in enumerate(players) if bot not in seated)
        chosen = sum(costs[one][other] for one, other in [*places, *([free] if free else [])])
        is_only = len(totals) == 1 or totals[0] < totals[1]
        worse += chosen != totals[0] or not is_only
    return worse


def digest_of_formats(*, backwards: bool = False) -> str:
    """Return a digest of all batches of a tournament of each format.

    `backwards`: the results of each batch arrive in the opposite order.
    """
    digest = sha256()
    for name, format_ in FORMATS.items():
        seats = 4 if name.startswith("tables") else 2
        budget = {"blocks": _SMALL_BUDGET} if name.startswith("finals") else {}
        plan = plan_of(format_, seats=seats, key=key_of(1), **budget)
        entries = field_of(2 if name.startswith("ab_test") else 11)
        for batch, played in play_batches(format_, plan, entries, seed=1):
            early = _steps_on_arrival(format_, plan, entries, played, backwards=backwards)
            digest.update(repr((name, batch, early)).encode())
    return digest.hexdigest()


def cost_of_round_robin(bots: int) -> tuple[float, float]:
    """Return CPU seconds and MiB of the dearest batch of a round robin."""
    robin = FORMATS["round_robin/2"]
    plan = plan_of(robin, seats=2, key=key_of(1))
    entries = field_of(bots)
    played: list[PlayedBlock] = []
    slowest, largest = 0.0, 0
    while True:
        start = time.process_time()
        step = robin.next(plan, entries, played)
        slowest = max(slowest, time.process_time() - start)
        if not isinstance(step, Batch):
            return slowest, largest / 2**20
        tracemalloc.start()
        robin.next(plan, entries, played)
        largest = max(largest, tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        played += [PlayedBlock(*block, None) for block in step.blocks]


def _play(block: PlannedBlock, random: Random) -> PlayedBlock:
    """Give every match of a block a result."""
    ranks: list[tuple[int, ...]] = []
    for seating in block.seatings:
        if random.random() < _DRAWN:
            ranks.append((0,) * len(seating))
            continue
        skill = [bot / 50 + random.gauss(0, 1) for bot in seating]
        ranks.append(tuple(sorted(skill).index(value) for value in skill))
    return PlayedBlock(block.round, block.seatings, tuple(ranks))


def _steps_on_arrival(
    format_: Format,
    plan: Plan,
    entries: Sequence[FieldEntry],
    played: Sequence[PlayedBlock],
    *,
    backwards: bool,
) -> list[Step]:
    """Return the format's next step at each moment of the latest round, as results arrive."""
    if not format_.reads_results:
        return []
    seen = list(played)
    latest = [place for place, block in enumerate(played) if block.round == played[-1].round]
    for place in latest:
        seen[place] = played[place]._replace(ranks=None)
    steps = []
    for place in reversed(latest) if backwards else latest:
        steps.append(format_.next(plan, entries, seen))
        seen[place] = played[place]
    return steps


def _can_avoid(bots: int, met: set[frozenset[int]], byes: set[int]) -> bool:
    """Return whether a pairing without a rematch or a second bye exists, by trying all."""

    @cache
    def can_pair(free: frozenset[int], has_bye: bool) -> bool:
        if not free:
            return True
        one = min(free)
        if has_bye and one not in byes and can_pair(free - {one}, False):
            return True
        return any(
            frozenset({one, other}) not in met and can_pair(free - {one, other}, has_bye)
            for other in free
            if other != one
        )

    return can_pair(frozenset(range(bots)), bool(bots % 2))


def _all_totals(costs: Sequence[Row]) -> Iterator[int]:
    """Yield the cost of every pairing there is."""

    def total(places: tuple[int, ...]) -> Iterator[int]:
        if not places:
            yield 0
            return
        one, *others = places
        for other in others:
            rest = tuple(place for place in others if place != other)
            yield from (costs[one][other] + more for more in total(rest))

    return total(tuple(range(len(costs))))
