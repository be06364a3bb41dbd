"""What a tournament format is: pure functions of a plan, a field and what has been played.

A tournament is made batch by batch. A batch has whole blocks; the matches of a block have the same
bots and the same seed. Whoever runs a tournament asks `Format.next` for the next step, plays the
blocks of a batch, and asks again. Every choice that is left to chance is drawn from the event key
(`seeds.draw`), so equal input gives equal batches, on any machine and at any time.
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from types import MappingProxyType
from typing import Any, Final, NamedTuple, Protocol, Self, runtime_checkable

FORFEIT: Final = "forfeit"
CANCEL: Final = "cancel_below_half"
AS_PLAYED: Final = "as_played"
LAWS: Final[Mapping[str, str]] = MappingProxyType(
    {
        FORFEIT: (
            "What a bot that leaves has played stands, and what it misses is won by those who "
            "stayed."
        ),
        CANCEL: (
            "If a bot leaves before it has played half of its matches, its results are cancelled "
            "for everybody; otherwise they stand, and what it misses is won by those who stayed."
        ),
        AS_PLAYED: (
            "What a bot that leaves has played stands, and what it misses is worth nothing to "
            "anybody."
        ),
    }
)
"""The laws by the names that documents use, each in a sentence."""
MOST_MATCHES: Final = 1_000
"""The most matches of a batch, which is stored in one transaction."""
PAIR: Final = 2
"""The number of seats at the smallest table."""
MOST_SEATS: Final = 5
WIN: Final = 2
"""The half points for a won match; a draw gives one, a defeat none."""
Group = tuple[int, ...]
"""The entries of one block."""
Seatings = tuple[Group, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A tournament as its format sees it, without the field."""

    seats: int
    """The number of seats at each table."""
    params: Mapping[str, Any]  # Any: each format has its own; `Format.problems` checks them
    """The format's own parameters, with all defaults written out."""
    key: bytes
    """The event key; a dry run takes 32 zero bytes."""
    draw_probability: float = 0.1
    """The draw probability of the rating model, for formats that estimate strengths."""


class FieldEntry(NamedTuple):
    """One entry as a format sees it."""

    number: int
    """The index of the entry in the document; seatings consist of these numbers."""
    author: str
    """The author; entries with the same author are not paired where the plan forbids it."""
    is_active: bool = True
    """False once the entry was withdrawn or disqualified: it gets no new matches."""
    strength: float | None = None
    """A hint for seeding, higher is better; None if nothing is known."""
    has_returned: bool = False
    """Whether it had left when earlier blocks were made, and a repaired version plays on in its
    place."""


class PlannedBlock(NamedTuple):
    """Matches with the same bots and seed.

    In an A/B test at larger tables, A and B in turn take one chair against the same others.
    """

    round: int
    """The number of the round, from 1 over the whole tournament."""
    seatings: tuple[tuple[int, ...], ...]
    """The number of the entry in each seat, match by match."""


class Batch(NamedTuple):
    """The blocks that can be played now, in schedule order. Never empty."""

    blocks: tuple[PlannedBlock, ...]


class Wait(NamedTuple):
    """Nothing can be made before the blocks made so far are complete."""


class Over(NamedTuple):
    """Nothing is left to play."""

    places: tuple[tuple[int, ...], ...] | None = None
    """The entries by place, best first, those who share a place together; None if the table
    decides."""
    remark: str = ""
    """Why it is over, where that is not obvious; for example "the budget is used up"."""


Step = Batch | Wait | Over


class PlayedBlock(NamedTuple):
    """A block that was made, with its results as far as they are known."""

    round: int
    seatings: tuple[tuple[int, ...], ...]
    ranks: tuple[tuple[int, ...] | None, ...] | None
    """The rank of each seat (0 is best, ties are equal), match by match; None for a void match.

    The whole is None until all matches of the block have ended. Forfeited matches have the ranks
    of `leaving.forfeit_ranks`.
    """
    repeats: tuple[int, ...] = ()
    """The matches, from 0, that went exactly like an earlier one with the same bots in the same
    seats; only where the format reads them."""
    left: tuple[int, ...] = ()
    """The entries that had left when the block was made; only where the format reads results."""
    forfeits: tuple[int, ...] = ()
    """The matches, from 0, that were not played because one of their bots had left."""

    @property
    def is_complete(self) -> bool:
        """Whether all its matches have ended, void ones included."""
        return self.ranks is not None

    @property
    def counts(self) -> bool:
        """Whether it has a result: complete, and no match of it is void."""
        return self.ranks is not None and None not in self.ranks

    def is_played(self, leg: int) -> bool:
        """Whether a match, from 0, has a result and was not forfeited."""
        return self.ranks is not None and self.ranks[leg] is not None and leg not in self.forfeits

    def forfeited(self) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
        """Yield seating and ranks of the forfeited matches."""
        for leg in self.forfeits:
            ranks = None if self.ranks is None else self.ranks[leg]
            if ranks is not None:
                yield self.seatings[leg], ranks


class Size(NamedTuple):
    """The number of matches of a tournament."""

    fewest: int
    expected: int
    most: int


class Problem(NamedTuple):
    """An error in a plan, in the shape of an API error."""

    pointer: str
    """A JSON pointer into the document, such as `/params/rounds`."""
    code: str
    sentence: str
    allowed: Any = None  # Any: JSON
    """The allowed values, where they can be listed or bounded."""

    @classmethod
    def of_param(cls, name: str, sentence: str, allowed: Any) -> Self:  # Any: JSON
        """Return that the value of a parameter is wrong."""
        return cls(f"/params/{name}", "bad_parameter", sentence, allowed)


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One parameter of a format: what forms, the JSON Schema and checks are made of."""

    default: Any  # Any: JSON
    schema: Mapping[str, Any] = field(default_factory=dict)
    """The JSON Schema of the value, such as `{"type": "integer", "minimum": 1, "maximum": 15}`."""
    text: str = ""
    """One sentence for forms and the documentation."""
    repeats_from: int | None = None
    """The lowest value with which pairs meet in more than one block; None if there is none."""


class Format(ABC):
    """One way to make pairings. Its functions are pure: no clock, no database, no generator."""

    name: str
    """The name and version, as documents have them: `swiss/1`."""
    title: str
    """The name on pages, such as "Swiss"."""
    text: str
    """One or two sentences: who meets whom, how often, and what decides."""
    parameters: Mapping[str, Parameter]
    """Its own parameters by name."""
    laws: tuple[str, ...] = (AS_PLAYED,)
    """The laws about bots that leave (`LAWS`) from which a document may choose; the first is the
    default. Where strength decides, nobody needs as many matches as the others."""
    reads_results = True
    """Whether `next` looks at ranks. If not, they may be None, and it never waits."""
    reads_repeats = False
    """Whether `next` looks at which matches were exact repeats of earlier ones."""

    def order(self, plan: Plan) -> tuple[str, ...]:
        """Return the tie-breaks that order the table unless a document names others.

        They are empty if the format itself decides the places.
        """
        return ()

    @abstractmethod
    def problems(self, plan: Plan, entries: int) -> list[Problem]:
        """Return everything that is wrong with the parameters for so many entries."""

    @abstractmethod
    def size(self, plan: Plan, entries: int) -> Size:
        """Return how many matches so many entries make."""

    @abstractmethod
    def next(
        self, plan: Plan, entries: Sequence[FieldEntry], played: Sequence[PlayedBlock]
    ) -> Step:
        """Return what comes after the blocks in `played`, which are in schedule order.

        `played` has all blocks of earlier batches. The same input gives the same step; who has
        left meanwhile (`is_active`) is part of the input.
        """

    def param(self, plan: Plan, name: str) -> Any:  # Any: JSON
        """Return one parameter of a plan, or its default."""
        return plan.params.get(name, self.parameters[name].default)


@runtime_checkable
class GivingByes(Protocol):
    """A format in whose table a round without a block may count as a won block."""

    def byes(
        self, entries: Sequence[FieldEntry], played: Sequence[PlayedBlock]
    ) -> Mapping[int, int]:
        """Return how many such rounds each entry has, also one that has left since."""
        ...


@runtime_checkable
class KnownFromStart(Protocol):
    """A format whose blocks follow from the field alone, whatever the results."""

    def schedule(self, plan: Plan, entries: Sequence[FieldEntry]) -> Iterator[PlannedBlock]:
        """Yield all blocks that it would make if nobody left."""
        ...


@runtime_checkable
class Eliminating(Protocol):
    """A format in which entries drop out, and others go on in their place."""

    def is_out(
        self,
        plan: Plan,
        entries: Sequence[FieldEntry],
        played: Sequence[PlayedBlock],
        *,
        number: int,
    ) -> bool:
        """Whether nothing is left to play for this entry; it is active in `entries`."""
        ...


def matches_per_block(seats: int) -> int:
    """Return how many matches a block has.

    >>> [matches_per_block(seats) for seats in (2, 3, 5)]
    [2, 6, 10]
    """
    return PAIR if seats == PAIR else 2 * seats


def seatings_of(group: Group) -> Seatings:
    """Seat a group in every rotation of one order and of its mirror image.

    So everybody has every seat equally often, and each bot acts right after any other one as often
    as right before it. Two and three bots sit in every order there is.

    >>> seatings_of((4, 7))
    ((4, 7), (7, 4))
    >>> len(set(seatings_of((1, 2, 3))))
    6
    """
    orders = [group] if len(group) == PAIR else [group, group[::-1]]
    return tuple(order[turn:] + order[:turn] for order in orders for turn in range(len(order)))


def make_blocks(number: int, groups: Iterable[Group]) -> list[PlannedBlock]:
    """Make a block of each group, all in round `number`."""
    return [PlannedBlock(number, seatings_of(group)) for group in groups]


def most_blocks(seats: int) -> int:
    """Return how many blocks one batch may have."""
    return MOST_MATCHES // matches_per_block(seats)


def make_batch(blocks: Sequence[PlannedBlock]) -> Batch:
    """Make a batch of as many of the blocks as one may have."""
    return Batch(tuple(blocks[: most_blocks(len(blocks[0].seatings[0]))]))


def are_complete(played: Iterable[PlayedBlock]) -> bool:
    """Whether all matches of all blocks have ended."""
    return all(block.is_complete for block in played)


def count_meetings(seatings: Iterable[Seatings]) -> Counter[Group]:
    """Count in how many blocks each pair met, the lower number first."""
    return Counter(
        pair for block in seatings for pair in combinations(sorted(set(block[0])), PAIR)
    )


def count_points(block: PlayedBlock) -> Counter[int]:
    """Return the half points of each bot in a block of two; a match without ranks gives none.

    A block that one bot has left is won by the other one, whatever happened before, so the moment
    of leaving does not matter. What the bot that left had won stays its own.
    """
    points: Counter[int] = Counter(dict.fromkeys(block.seatings[0], 0))
    for seating, ranks in zip(block.seatings, block.ranks or (), strict=False):
        if ranks is None:
            continue
        # A double fault has no rank 0: a defeat for both.
        best = [entry for entry, rank in zip(seating, ranks, strict=True) if rank == 0]
        for entry in best:
            points[entry] += WIN // len(best)
    for seating, ranks in block.forfeited():
        for entry, rank in zip(seating, ranks, strict=True):
            if rank == 0:
                points[entry] = WIN * len(block.seatings)
    return points


def active_numbers(entries: Iterable[FieldEntry]) -> list[int]:
    """Return the numbers of all who still play."""
    return [entry.number for entry in entries if entry.is_active]
