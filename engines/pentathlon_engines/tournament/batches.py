"""Makes a schedule batch by batch, and makes it again from what was noted at each batch.

A batch follows from the document, the event key, and what is noted with it: who has left, and the
results of earlier blocks as far as the format reads them. Each note has only what has changed
since the batch before, and the digests of the notes are a chain.

Makes the batches of a ladder's division, and makes them again from what was noted.

A batch follows from the event key, from what is noted with it (how many blocks were asked for, and
what has changed in the field) and from the batches before. The digests of the notes are a chain.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Final, NamedTuple

from pentathlon_engines.record.record import canonical
from pentathlon_engines.seeds import block_seed, match_alias
from pentathlon_engines.tournament.document import TournamentDocument
from pentathlon_engines.tournament.formats import interface, ladder
from pentathlon_engines.tournament.schedule import Pairing

Ranks = tuple[tuple[int, ...], ...]
"""For each match of a block, the rank of each seat."""
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


class Note(NamedTuple):
    """Changes since the previous batch."""

    left: tuple[int, ...] = ()
    """All entries that have left, in order; those that were replaced are not in it."""
    results: Mapping[int, Ranks | None] = {}
    """New or changed results by the number of the block; None for a void block."""
    forfeits: Mapping[int, tuple[int, ...]] = {}
    """For new blocks: the matches, from 0, that were not played because a bot had left; their
    ranks are in `results`."""
    repeats: Mapping[int, tuple[int, ...]] = {}
    """For new blocks: the matches, from 0, that were exact repeats; only where the format reads
    them."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Note:  # Any: JSON
        """Read a note back."""
        results = {
            int(block): None if ranks is None else tuple(map(tuple, ranks))
            for block, ranks in data["results"].items()
        }
        repeats, forfeits = (
            {int(block): tuple(legs) for block, legs in data.get(name, {}).items()}
            for name in ("repeats", "forfeits")
        )
        return cls(tuple(data["left"]), results, forfeits=forfeits, repeats=repeats)

    def to_json(self) -> dict[str, Any]:
        """Return the note as it is stored and published."""
        results = {str(block): self.results[block] for block in sorted(self.results)}
        told: dict[str, Any] = {"left": list(self.left), "results": results}
        for name, legs in (("forfeits", self.forfeits), ("repeats", self.repeats)):
            if legs:
                told[name] = {str(block): list(legs[block]) for block in sorted(legs)}
        return told

    def digest(self, before: str) -> str:
        """Return the digest of this note and of the digest before it ("" for the first)."""
        return sha256(canonical({"before": before, **self.to_json()})).hexdigest()


@dataclass(slots=True)
class History:
    """The blocks that were made so far, and what is known of them."""

    blocks: list[interface.PlayedBlock] = field(default_factory=list)
    left: tuple[int, ...] = ()
    ever_left: set[int] = field(default_factory=set)
    """All entries that had left when a batch was made, including those replaced since."""

    def take(self, note: Note) -> None:
        """Take over the changes of a note."""
        self.left = note.left
        self.ever_left.update(note.left)
        for number, ranks in note.results.items():
            block = self.blocks[number - 1]
            void = (None,) * len(block.seatings)
            self.blocks[number - 1] = block._replace(
                ranks=void if ranks is None else ranks, forfeits=note.forfeits.get(number, ())
            )
        for number, legs in note.repeats.items():
            self.blocks[number - 1] = self.blocks[number - 1]._replace(repeats=legs)

    def add(self, blocks: Iterable[interface.PlannedBlock]) -> None:
        """Append the blocks of a batch."""
        self.blocks += [
            interface.PlayedBlock(block.round, block.seatings, None, left=self.left)
            for block in blocks
        ]


def next_step(
    document: TournamentDocument,
    *,
    key: bytes,
    left: Collection[int] = (),
    ever_left: Collection[int] = (),
    played: Sequence[interface.PlayedBlock] = (),
) -> interface.Step:
    """Return what comes after the blocks in `played`.

    The entries in `left` have left by now, those in `ever_left` when earlier batches were made.

    Raises:
        UnknownScheduler: the document needs the scheduler of another release.
    """
    entries = document.field(left=left, ever_left=ever_left)
    return document.scheduling.next(document.plan(key=key), entries, played)


def pairings_of(
    blocks: Iterable[interface.PlannedBlock], *, first_block: int, first_index: int, key: bytes
) -> list[Pairing]:
    """Return the matches of blocks that come next, with their seeds and aliases."""
    pairings: list[Pairing] = []
    for number, block in enumerate(blocks, start=first_block):
        seed = block_seed(key, number)
        for seating in block.seatings:
            index = first_index + len(pairings)
            pairings.append(
                Pairing(
                    round=block.round,
                    block=number,
                    index=index,
                    alias=match_alias(key, index),
                    seed=seed,
                    seating=seating,
                )
            )
    return pairings


def draw_blocks(document: TournamentDocument, *, key: bytes) -> Iterator[list[Pairing]]:
    """Yield the matches of a whole schedule block by block, if results decide nothing in it.

    It is assumed that nobody leaves. If results decide, the schedule ends where the first of them
    are needed.

    Raises:
        UnknownScheduler: the document needs the scheduler of another release.
    """
    history = History()
    index = 1
    while isinstance(step := next_step(document, key=key, played=history.blocks), interface.Batch):
        first = len(history.blocks) + 1
        history.add(step.blocks)
        for number, block in enumerate(step.blocks, start=first):
            yield pairings_of([block], first_block=number, first_index=index, key=key)
            index += len(block.seatings)


def draw_schedule(document: TournamentDocument, *, key: bytes) -> list[Pairing]:
    """Return all matches of `draw_blocks`."""
    return [pairing for block in draw_blocks(document, key=key) for pairing in block]


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
        is_settled = self.sigma < ladder.SETTLED_SIGMA or self.matches >= ENOUGH
        return not (is_settled or self.is_reference)

    @property
    def line(self) -> ladder.LadderEntry:
        """The entry as the pairing rule takes it."""
        sigma = self.sigma if self.is_uncertain else min(self.sigma, ladder.SETTLED_SIGMA / 2)
        return ladder.LadderEntry(
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
    meetings: Mapping[interface.Group, int],
    seats: int,
    wanted: int,
    made: int,
    key: bytes,
) -> list[ladder.LadderBlock]:
    """Return up to `wanted` blocks after the first `made` ones; only the arguments decide."""
    in_order = sorted(candidates)
    has_newcomers = any(each.is_newcomer for each in in_order)
    return ladder.pair_ladder(
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
    _meetings: Counter[interface.Group] = field(default_factory=Counter)

    def next_batch(self, note: LadderNote) -> tuple[interface.PlannedBlock, ...]:
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
        seatings: list[interface.Seatings] = [block.seatings for block in paired]
        self._meetings.update(interface.count_meetings(seatings))
        self.blocks += len(paired)
        self.batches += 1
        return tuple(interface.PlannedBlock(self.batches, each) for each in seatings)

    def _hear(self, told: Told) -> None:
        for number, fields in told.items():
            if fields is None:
                self._field.pop(int(number), None)
            else:
                self._field[int(number)] = Candidate(int(number), *fields)


def pairs_of(met: Mapping[int, Mapping[str, int]]) -> dict[interface.Group, int]:
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
