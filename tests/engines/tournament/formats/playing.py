"""Plays a whole tournament of any format, with made-up results."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pentathlon_engines.seeds import draw
from pentathlon_engines.tournament.departures import forfeit_ranks
from pentathlon_engines.tournament.formats.interface import (
    Batch,
    FieldEntry,
    Format,
    Over,
    Plan,
    PlannedBlock,
    PlayedBlock,
)
from pentathlon_engines.tournament.formats.parameters import full_params

KEY = bytes(range(32))
Ranks = tuple[tuple[int, ...] | None, ...]
Judge = Callable[[int, PlannedBlock], Ranks]
"""Returns the ranks of a block, given its place in the schedule and the block."""


def plan_of(format_: Format, *, seats: int = 2, key: bytes = KEY, **params: Any) -> Plan:
    """Return a plan with all defaults written out."""
    return Plan(seats=seats, params=full_params(format_.parameters, params), key=key)


def field_of(
    count: int, *, authors: int | None = None, gone: Iterable[int] = ()
) -> list[FieldEntry]:
    """Return entries; with fewer authors than entries, some share one."""
    gone = set(gone)
    return [
        FieldEntry(number, f"author {number % (authors or count)}", number not in gone)
        for number in range(count)
    ]


def by_number(place: int, block: PlannedBlock) -> Ranks:
    """The lower number always wins."""
    return tuple(
        tuple(sorted(seating).index(entry) for entry in seating) for seating in block.seatings
    )


def by_chance(place: int, block: PlannedBlock) -> Ranks:
    """Anybody wins, and now and then everybody draws."""
    ranks: list[tuple[int, ...]] = []
    for leg, seating in enumerate(block.seatings):
        seats = range(len(seating))
        if draw(KEY, "drawn", place, leg) % 5 == 0:
            ranks.append((0,) * len(seating))
            continue
        order = sorted(seats, key=lambda seat: draw(KEY, "result", place, leg, seat))
        ranks.append(tuple(order.index(seat) for seat in seats))
    return tuple(ranks)


def all_drawn(place: int, block: PlannedBlock) -> Ranks:
    """Nobody ever wins."""
    return tuple((0,) * len(seating) for seating in block.seatings)


def all_void(place: int, block: PlannedBlock) -> Ranks:
    """Nothing counts."""
    return (None,) * len(block.seatings)


@dataclass
class Event:
    """A tournament that came to its end."""

    batches: list[Batch] = field(default_factory=list)
    played: list[PlayedBlock] = field(default_factory=list)
    over: Over = field(default_factory=Over)

    @property
    def matches(self) -> int:
        """How many matches it had."""
        return sum(len(block.seatings) for block in self.played)

    @property
    def groups(self) -> list[tuple[int, ...]]:
        """Who sat at each block, in ascending order."""
        return [tuple(sorted(block.seatings[0])) for block in self.played]


def play(
    format_: Format,
    plan: Plan,
    entries: Sequence[FieldEntry],
    judge: Judge = by_chance,
    *,
    leavers: Mapping[int, int] | None = None,
    quitters: Mapping[int, tuple[int, int]] | None = None,
    most_batches: int = 2_000,
) -> Event:
    """Play until it is over; `leavers` says after how many batches an entry leaves.

    `quitters` leave in the middle: after so many batches, and so many matches of the next block.
    """
    event = Event()
    entries = list(entries)
    quitters = quitters or {}
    for number in range(most_batches):
        for leaver, after in (leavers or {}).items():
            if number >= after:
                entries[leaver] = entries[leaver]._replace(is_active=False)
        step = format_.next(plan, entries, event.played)
        if isinstance(step, Over):
            event.over = step
            return event
        assert isinstance(step, Batch), "it waits although everything is complete"
        event.batches.append(step)
        left = tuple(entry.number for entry in entries if not entry.is_active)
        for block in step.blocks:
            ranks = judge(len(event.played), block)
            now = {
                bot: legs
                for bot, (batch, legs) in quitters.items()
                if batch == number and bot in block.seatings[0]
            }
            missed = tuple(range(min(now.values(), default=len(ranks)), len(ranks)))
            ended = tuple(
                forfeit_ranks(block.seatings[leg], now) if leg in missed else each
                for leg, each in enumerate(ranks)
            )
            event.played.append(
                PlayedBlock(block.round, block.seatings, ended, left=left, forfeits=missed)
            )
        for quitter, (batch, _) in quitters.items():
            if batch == number:
                entries[quitter] = entries[quitter]._replace(is_active=False)
    raise AssertionError(f"not over after {most_batches} batches")
