"""Makes the batches of a ladder's division, and makes them again from what was noted.

A batch follows from the event key, from what is noted with it (how many blocks were asked for, and
what has changed in the field) and from the batches before. The digests of the notes are a chain.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Final, NamedTuple

from pentathlon_engines.record.record import canonical
from pentathlon_engines.tournament.formats.interface import (
    Group,
    PlannedBlock,
    Seatings,
    count_meetings,
)
from pentathlon_engines.tournament.formats.ladder import (
    SETTLED_SIGMA,
    LadderBlock,
    LadderEntry,
    pair_ladder,
)

NEW: Final = 20
"""An entry with fewer rated matches than this is a newcomer."""
ENOUGH: Final = 100
"""With this many rated matches, an entry counts as settled whatever its sigma: that of a bot that
always wins or always loses stays large forever."""
MOST_OPEN: Final = 2
"""The most blocks that an entry may have under way."""
MOST_OPEN_OF_NEW: Final = 4
"""The same bound in a division with newcomers."""

Told = dict[str, list[Any] | None]  # Any: JSON of the fields of a candidate


class Candidate(NamedTuple):
    """An entry of the field."""

    number: int
    author: str
    """The author; entries of one author are not paired."""
    mu: float
    sigma: float
    matches: int
    """The number of rated matches so far."""
    open_blocks: int
    is_reference: bool = False

    @property
    def is_newcomer(self) -> bool:
        """Whether the entry is served before all that have played more."""
        return self.matches < NEW and not self.is_reference

    @property
    def is_uncertain(self) -> bool:
        """Whether it should play as fast as workers can; reference bots need few matches."""
        if self.matches < NEW:
            return True
        is_settled = self.sigma < SETTLED_SIGMA or self.matches >= ENOUGH
        return not (is_settled or self.is_reference)

    @property
    def line(self) -> LadderEntry:
        """The entry as the pairing rule takes it."""
        sigma = self.sigma if self.is_uncertain else min(self.sigma, SETTLED_SIGMA / 2)
        return LadderEntry(
            self.number, self.author, self.mu, sigma, self.open_blocks, self.is_newcomer
        )


class LadderNote(NamedTuple):
    """The input of the pairing rule for a batch."""

    wanted: int
    """How many blocks were asked for."""
    told: Told
    """What has changed in the field since the previous batch: by the number of an entry, its
    candidate without the number, or None for one that has left."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> LadderNote:  # Any: JSON
        """Read a note back."""
        return cls(data["wanted"], dict(data["told"]))

    def to_json(self) -> dict[str, Any]:
        """Return the note as it is stored and published."""
        return {"wanted": self.wanted, "told": self.told}

    def digest(self, before: str) -> str:
        """Return the digest of this note and of the digest before it ("" for the first)."""
        return sha256(canonical({"before": before, **self.to_json()})).hexdigest()


def pair_field(
    candidates: Iterable[Candidate],
    *,
    meetings: Mapping[Group, int],
    seats: int,
    wanted: int,
    made: int,
    key: bytes,
) -> list[LadderBlock]:
    """Return up to `wanted` blocks after the first `made` ones; only the arguments decide."""
    in_order = sorted(candidates)
    has_newcomers = any(each.is_newcomer for each in in_order)
    return pair_ladder(
        [each.line for each in in_order],
        seats=seats,
        meetings=meetings,
        wanted=wanted,
        most_open=MOST_OPEN_OF_NEW if has_newcomers else MOST_OPEN,
        made=made,
        key=key,
    )


@dataclass(slots=True)
class LadderHistory:
    """A division as the pairing rule knew it, batch after batch."""

    seats: int
    key: bytes
    blocks: int = 0
    """The number of blocks made so far."""
    batches: int = 0
    """The number of batches made so far."""
    _field: dict[int, Candidate] = field(default_factory=dict)
    _meetings: Counter[Group] = field(default_factory=Counter)

    def next_batch(self, note: LadderNote) -> tuple[PlannedBlock, ...]:
        """Make the batch that follows from a note."""
        self._hear(note.told)
        paired = pair_field(
            self._field.values(),
            meetings=self._meetings,
            seats=self.seats,
            wanted=note.wanted,
            made=self.blocks,
            key=self.key,
        )
        seatings: list[Seatings] = [block.seatings for block in paired]
        self._meetings.update(count_meetings(seatings))
        self.blocks += len(paired)
        self.batches += 1
        return tuple(PlannedBlock(self.batches, each) for each in seatings)

    def _hear(self, told: Told) -> None:
        for number, fields in told.items():
            if fields is None:
                self._field.pop(int(number), None)
            else:
                self._field[int(number)] = Candidate(int(number), *fields)


def pairs_of(met: Mapping[int, Mapping[str, int]]) -> dict[Group, int]:
    """Return meetings by pair, the lower number first, from the counts that each entry keeps.

    >>> pairs_of({0: {"1": 3}, 1: {"0": 3}})
    {(0, 1): 3}
    """
    return {
        (number, int(other)): count
        for number, others in met.items()
        for other, count in others.items()
        if number < int(other)
    }
