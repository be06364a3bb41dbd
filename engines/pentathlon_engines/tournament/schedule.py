"""Decides who plays whom, in which seat and with which seed, by numbers and the event key alone.

Every choice comes from HMAC-SHA256 under the event key. So nobody knows the schedule before the
start, everybody can draw it again afterwards, and it depends on no library's generator.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import ceil, comb

from pentathlon_engines.seeds import block_seed, match_alias, shuffled

_PAIR = 2
_FEW_GROUPS = 60
_CANDIDATES = 200
_PASSES = 4

Group = tuple[int, ...]
"""The bots of one match, as numbers of entries."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairing:
    """One match of a schedule."""

    round: int
    block: int
    """The number of the block in the whole schedule; its matches have the same bots and seed."""
    index: int
    """The number of the match, from 1 over the whole schedule."""
    alias: str
    """The name of the match that its bots are told."""
    seed: int
    seating: tuple[int, ...]
    """The number of the entry in each seat."""


def draw_blocks(entries: int, *, seats: int, cycles: int, key: bytes) -> Iterator[list[Pairing]]:
    """Yield a round robin block by block: all meet `cycles` times, in every seat, with one seed.

    Pairs meet by the circle method, in both seat orders. For larger tables, all groups meet if
    there are few; else the groups seat all bots equally often and let all pairs meet about
    equally often. Each group plays in every rotation of its seats.
    """
    rounds = _pair_rounds if seats == _PAIR else _table_rounds
    block = 0
    for number, groups in enumerate(rounds(entries, seats, cycles, key), start=1):
        for group in groups:
            block += 1
            seed = block_seed(key, block)
            yield [
                Pairing(
                    round=number,
                    block=block,
                    index=(index := (block - 1) * seats + turn),
                    alias=match_alias(key, index),
                    seed=seed,
                    seating=group[turn - 1 :] + group[: turn - 1],
                )
                for turn in range(1, seats + 1)
            ]


def count_matches(entries: int, *, seats: int, cycles: int) -> int:
    """Return how many matches `draw_blocks` yields, without making them."""
    if comb(entries, seats) <= _FEW_GROUPS or seats == _PAIR:
        return comb(entries, seats) * seats * cycles
    return _families(entries, seats) * entries * seats * cycles


def _pair_rounds(entries: int, _seats: int, cycles: int, key: bytes) -> Iterator[list[Group]]:
    for number in range(count_pair_rounds(entries, cycles)):
        yield pair_round(entries, number, key)


def count_pair_rounds(entries: int, cycles: int) -> int:
    """Return in how many rounds all pairs meet `cycles` times."""
    return (entries + entries % 2 - 1) * cycles


def pair_round(entries: int, number: int, key: bytes) -> list[Group]:
    """Return round `number`, from 0, by the circle method: one bot stays, the others move on."""
    cycle, turn = divmod(number, count_pair_rounds(entries, 1))
    circle: list[int | None] = list(_circle(entries, cycle, key))
    if entries % 2:
        circle.append(None)
    moved = len(circle) - turn
    return list(_tables([circle[0], *circle[moved:], *circle[1:moved]], turn))


@lru_cache(maxsize=8)
def _circle(entries: int, cycle: int, key: bytes) -> tuple[int, ...]:
    """Return the places around the circle; cached, as every round of the cycle asks again."""
    return tuple(shuffled(range(entries), key, "cycle", cycle))


def _tables(circle: Sequence[int | None], turn: int) -> Iterator[Group]:
    """Pair opposite places; swaps give all bots the first seat about equally often."""
    for table in range(len(circle) // 2):
        first, second = circle[table], circle[-1 - table]
        if first is None or second is None:
            continue
        is_swapped = turn % 2 if table == 0 else table % 2
        yield (second, first) if is_swapped else (first, second)


def _table_rounds(entries: int, seats: int, cycles: int, key: bytes) -> Iterator[list[Group]]:
    if comb(entries, seats) <= _FEW_GROUPS:
        for cycle in range(cycles):
            groups = shuffled(combinations(range(entries), seats), key, "cycle", cycle)
            yield [_seated(group, key, cycle) for group in groups]
        return
    bases = _base_groups(entries, seats, cycles * _families(entries, seats), key)
    names = shuffled(range(entries), key, "names")
    for family, base in enumerate(bases):
        shifts = shuffled(range(entries), key, "family", family)
        groups = [tuple(names[(place + shift) % entries] for place in base) for shift in shifts]
        yield [_seated(group, key, family) for group in groups]


def _families(entries: int, seats: int) -> int:
    """Return how many base groups a cycle needs so that every pair meets about once or more."""
    return max(ceil((entries - 1) / (seats * (seats - 1))), ceil(_FEW_GROUPS / entries))


def _base_groups(entries: int, seats: int, count: int, key: bytes) -> list[Group]:
    """Choose groups of places on a circle; a full turn of one seats all bots equally often.

    Two bots meet as often as their distance occurs. So we replace each group in turn by the
    candidate that makes all distances occur most evenly, and repeat that a few times.
    """
    candidates = _candidates(entries, seats, key)
    chosen: list[Group] = [()] * count
    occurrences = [0] * (entries // 2 + 1)
    for number in list(range(count)) * _PASSES:
        _count_distances(occurrences, chosen[number], entries, -1)
        chosen[number] = min(
            candidates, key=lambda group: _unevenness(occurrences, group, entries)
        )
        _count_distances(occurrences, chosen[number], entries, 1)
    return chosen


def _candidates(entries: int, seats: int, key: bytes) -> list[Group]:
    others = range(1, entries)
    if comb(entries - 1, seats - 1) <= _CANDIDATES:
        return [(0, *group) for group in combinations(others, seats - 1)]
    return [
        (0, *shuffled(others, key, "candidate", number)[: seats - 1])
        for number in range(_CANDIDATES)
    ]


def _count_distances(occurrences: list[int], group: Group, entries: int, times: int) -> None:
    for first, second in combinations(group, 2):
        distance = abs(first - second)
        occurrences[min(distance, entries - distance)] += times


def _unevenness(occurrences: Sequence[int], group: Group, entries: int) -> int:
    """Return the sum of squared meetings of all pairs, up to a factor, after adding `group`."""
    after = list(occurrences)
    _count_distances(after, group, entries, 1)
    # There are half as many pairs of opposite places, and each meets twice in a full turn.
    opposite = 0 if entries % 2 else after[-1] ** 2
    return sum(count * count for count in after) + opposite


def _seated(group: Group, key: bytes, part: int) -> Group:
    """Shuffle a table; rotation alone would let every bot always follow the same one."""
    return tuple(shuffled(group, key, "table", part, *group))
