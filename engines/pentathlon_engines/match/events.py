"""Events: the actions of a match with their times, and the decisions of chance."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from pentathlon_engines.contract.game import CHANCE, State

STAND_IN: Final = "stand_in"
"""The mark of an action that a stand-in played."""

_PLAIN: Final = 4
"""The number of fields in the row of a bot's action; a stand-in's has the mark as its fifth."""

EventRow = list[Any]  # Any: seat, text, two times and a mark, as many as the event has
"""An event as a record carries it: JSON."""


class Event(NamedTuple):
    """One event of a match.

    >>> Event.of([0, "add dog b2", 12, 15])
    Event(seat=0, text='add dog b2', cpu_ms=12, wall_ms=15, is_stand_in=False)
    >>> Event(-1, "roll 6").to_row()
    [-1, 'roll 6']
    """

    seat: int
    """The seat that acted, or `CHANCE`."""
    text: str
    cpu_ms: int = 0
    wall_ms: int = 0
    is_stand_in: bool = False

    @classmethod
    def of(cls, row: EventRow) -> Event:
        """Read the row of a record; `check_shape` must have accepted it."""
        event = cls(*row[:_PLAIN])
        return event._replace(is_stand_in=True) if len(row) > _PLAIN else event

    @property
    def is_chance(self) -> bool:
        """Return whether chance decided this."""
        return self.seat == CHANCE

    @property
    def is_by_bot(self) -> bool:
        """Return whether a bot answered with this action."""
        return not self.is_chance and not self.is_stand_in

    def to_row(self) -> EventRow:
        """Return the event as a record carries it."""
        if self.is_chance:
            return [self.seat, self.text]
        row = [self.seat, self.text, self.cpu_ms, self.wall_ms]
        return [*row, STAND_IN] if self.is_stand_in else row


def apply_event(state: State, event: Event) -> None:
    """Let an event happen; raise `EngineError` if it cannot, and change nothing."""
    if event.is_chance:
        state.apply_chance(event.text)
    else:
        state.apply(state.parse(event.text))


def apply_event_unchecked(state: State, event: Event) -> None:
    """Let an event happen again: it has happened in this position before, so it is legal."""
    if event.is_chance:
        state.apply_chance(event.text)
    else:
        state.apply_unchecked(state.parse(event.text))
