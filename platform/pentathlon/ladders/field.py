"""The field of a division as the pairing rule sees it, and how that is stored with each batch."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from pentathlon_engines.tournament.formats.blocks import Group
from pentathlon_engines.tournament.formats.ladder import (
    SETTLED_SIGMA,
    LadderBlock,
    LadderEntry,
    pair_ladder,
)

NEW: Final = 20
"""With fewer rated matches than this an entry is a newcomer."""
ENOUGH: Final = 100
"""With so many it counts as settled whatever its sigma: that of a bot that always wins or always
loses stays large for ever."""
MOST_OPEN: Final = 2
"""Blocks that an entry may have under way."""
MOST_OPEN_OF_NEW: Final = 4
"""The same, in a division with newcomers."""

Told = dict[str, list[Any] | None]  # Any: JSON of the fields of a candidate


class Candidate(NamedTuple):
    """An entry of the field."""

    number: int
    author: str
    """Entries of one author are not paired."""
    mu: float
    sigma: float
    matches: int
    """Rated ones so far."""
    open_blocks: int
    is_reference: bool = False

    @property
    def is_newcomer(self) -> bool:
        """Whether it is served before all that have played more."""
        return self.matches < NEW and not self.is_reference

    @property
    def is_uncertain(self) -> bool:
        """Whether it should play as fast as the workers can; reference bots need few matches."""
        if self.matches < NEW:
            return True
        is_settled = self.sigma < SETTLED_SIGMA or self.matches >= ENOUGH
        return not (is_settled or self.is_reference)

    @property
    def line(self) -> LadderEntry:
        """The entry as the pairing rule takes it."""
        sigma = self.sigma if self.is_uncertain else min(self.sigma, SETTLED_SIGMA / 2)
        return LadderEntry(self.number, self.author, self.mu, sigma, self.open_blocks)


def pair_field(
    field: Iterable[Candidate],
    *,
    meetings: Mapping[Group, int],
    seats: int,
    wanted: int,
    made: int,
    key: bytes,
) -> list[LadderBlock]:
    """Return up to `wanted` blocks after the `made` ones before; depends on nothing else."""
    candidates = sorted(field)
    has_newcomers = any(each.is_newcomer for each in candidates)
    return pair_ladder(
        [each.line for each in candidates],
        seats=seats,
        meetings=meetings,
        wanted=wanted,
        most_open=MOST_OPEN_OF_NEW if has_newcomers else MOST_OPEN,
        made=made,
        key=key,
    )


def hear(field: dict[int, Candidate], told: Told) -> None:
    """Change a field by what was stored with its next batch."""
    for number, fields in told.items():
        if fields is None:
            field.pop(int(number), None)
        else:
            field[int(number)] = Candidate(int(number), *fields)


def pairs_of(met: Mapping[int, Mapping[str, int]]) -> dict[Group, int]:
    """Return meetings by pair, the lower number first, from the lines of all entries.

    >>> pairs_of({0: {"1": 3}, 1: {"0": 3}})
    {(0, 1): 3}
    """
    return {
        (number, int(other)): count
        for number, others in met.items()
        for other, count in others.items()
        if number < int(other)
    }
