"""Decides who plays whom, in which seat and with which seed, by numbers and the event key alone.

Every choice comes from HMAC-SHA256 under the event key. So nobody knows the schedule before the
start, everybody can draw it again afterwards, and it depends on no library's generator.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from pentathlon_engines.seeds import shuffled

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
