"""Navigation by keys through a record in the terminal."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from pentathlon_engines.match.events import Event, EventRow

CLEAR: Final = "\x1b[H\x1b[2J"
"""The control sequence that clears the terminal."""
HELP: Final = (
    "ply: left right   turn: up down   turn of the same seat: [ ]   round: { }\n"
    "ends: g G   ply 12: 1 2 Enter   quit: q"
)

_KEY: Final = re.compile(r"\x1b\[[0-9;]*[A-Za-z~]|\x1bO.|.", re.DOTALL)
_ENTER: Final = ("\r", "\n")
_ERASE: Final = ("\x7f", "\x08")
_QUIT: Final = ("q", "\x1b")
_MOST_DIGITS: Final = 6


def split_keys(typed: str) -> Iterator[str]:
    """Yield the keys in one read from a terminal, which can hold several."""
    return iter(_KEY.findall(typed))


class Stepper:
    """A place in a record, moved by keys: by ply, turn, round, or to a ply by its number.

    A turn begins at the position after its first action, a round at a turn of a seat that has had
    one in this round already.
    """

    def __init__(self, events: Sequence[EventRow]) -> None:
        self.ply = 0
        self.last = len(events)
        self.number = ""
        """The digits typed so far of the ply to go to."""
        self.is_over = False
        self._turns = list(_turns(events))
        self._rounds = list(_rounds(self._turns))

    def press(self, key: str) -> None:
        """Do what a key means; unknown ones do nothing."""
        if key.isascii() and key.isdigit():
            self.number = (self.number + key)[:_MOST_DIGITS]
            return
        if self.number and key in _ERASE:
            self.number = self.number[:-1]
            return
        wanted, self.number = self.number, ""
        if key in _QUIT:
            self.is_over = not wanted
        elif wanted and key in (*_ENTER, "g"):
            self._go(int(wanted))
        elif (move := _MOVES.get(key)) is not None:
            self._go(move(self))

    def _go(self, ply: int) -> None:
        self.ply = min(max(ply, 0), self.last)

    def _next(self, plies: Sequence[int]) -> int:
        at = bisect_right(plies, self.ply)
        return plies[at] if at < len(plies) else self.last

    def _previous(self, plies: Sequence[int]) -> int:
        at = bisect_left(plies, self.ply)
        return plies[at - 1] if at else 0

    def _all_turns(self) -> list[int]:
        return [ply for ply, _ in self._turns]

    def _own_turns(self) -> list[int]:
        """Return the turns of the seat that acted last; at the start, of the one that begins."""
        at = bisect_right(self._all_turns(), self.ply)
        if not self._turns:
            return []
        own = self._turns[max(at - 1, 0)][1]
        return [ply for ply, seat in self._turns if seat == own]

    def next_turn(self) -> int:
        """Return where the turn of another seat begins."""
        return self._next(self._all_turns())

    def previous_turn(self) -> int:
        """Return where this turn begins, or else the one before."""
        return self._previous(self._all_turns())

    def next_own_turn(self) -> int:
        """Return where the next turn of the same seat begins."""
        return self._next(self._own_turns())

    def previous_own_turn(self) -> int:
        """Return where the previous turn of the same seat begins."""
        return self._previous(self._own_turns())

    def next_round(self) -> int:
        """Return where the next round begins."""
        return self._next(self._rounds)

    def previous_round(self) -> int:
        """Return where this round begins, or else the one before."""
        return self._previous(self._rounds)


def _turns(events: Sequence[EventRow]) -> Iterator[tuple[int, int]]:
    """Yield ply and seat of the first action of each turn; chance ends no turn."""
    before: int | None = None
    for ply, event in enumerate(map(Event.of, events), start=1):
        if not event.is_chance and event.seat != before:
            before = event.seat
            yield ply, event.seat


def _rounds(turns: Sequence[tuple[int, int]]) -> Iterator[int]:
    seen: set[int] = set()
    for ply, seat in turns:
        if seat in seen or not seen:
            seen = set()
            yield ply
        seen.add(seat)


def _table(*rows: tuple[str, Callable[[Stepper], int]]) -> dict[str, Callable[[Stepper], int]]:
    return {key: move for keys, move in rows for key in keys.split(" ")}


_MOVES: Final = {
    " ": lambda stepper: stepper.ply + 1,
    **_table(
        ("n l \r \n \x1b[C \x1bOC", lambda stepper: stepper.ply + 1),
        ("p h \x7f \x08 \x1b[D \x1bOD", lambda stepper: stepper.ply - 1),
        ("j t \x1b[B \x1bOB", Stepper.next_turn),
        ("k T \x1b[A \x1bOA", Stepper.previous_turn),
        ("]", Stepper.next_own_turn),
        ("[", Stepper.previous_own_turn),
        ("} \x1b[6~", Stepper.next_round),
        ("{ \x1b[5~", Stepper.previous_round),
        ("g \x1b[H \x1b[1~ \x1bOH", lambda stepper: 0),
        ("G $ \x1b[F \x1b[4~ \x1bOF", lambda stepper: stepper.last),
    ),
}
