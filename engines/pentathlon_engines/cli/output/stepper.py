"""Navigation by keys through a record in the terminal."""

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
        self.rounds = list(_rounds(self._turns))
        """Where rounds begin."""

    def press(self, key: str) -> None:
        """Do what a key means; unknown ones do nothing."""
        if key.isascii() and key.isdigit():
            self.number = (self.number + key)[:_MOST_DIGITS]
            return
        if self.number and key in _ERASE:
            self.number = self.number[:-1]
            return
        number, self.number = self.number, ""
        if key in _QUIT:
            self.is_over = not number
        elif number and key in (*_ENTER, "g"):
            self._go(int(number))
        elif (move := _MOVES.get(key)) is not None:
            self._go(move(self))

    def _go(self, ply: int) -> None:
        self.ply = min(max(ply, 0), self.last)

    def after(self, plies: Sequence[int]) -> int:
        """Return the next of these plies, or the end."""
        at = bisect_right(plies, self.ply)
        return plies[at] if at < len(plies) else self.last

    def before(self, plies: Sequence[int]) -> int:
        """Return the previous one of these plies, or the start."""
        at = bisect_left(plies, self.ply)
        return plies[at - 1] if at else 0

    def turns(self) -> list[int]:
        """Return where turns begin."""
        return [ply for ply, _ in self._turns]

    def own_turns(self) -> list[int]:
        """Return the turns of the seat that acted last; at the start, of the one that begins."""
        at = bisect_right(self.turns(), self.ply)
        if not self._turns:
            return []
        own = self._turns[max(at - 1, 0)][1]
        return [ply for ply, seat in self._turns if seat == own]


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
        ("j t \x1b[B \x1bOB", lambda stepper: stepper.after(stepper.turns())),
        ("k T \x1b[A \x1bOA", lambda stepper: stepper.before(stepper.turns())),
        ("]", lambda stepper: stepper.after(stepper.own_turns())),
        ("[", lambda stepper: stepper.before(stepper.own_turns())),
        ("} \x1b[6~", lambda stepper: stepper.after(stepper.rounds)),
        ("{ \x1b[5~", lambda stepper: stepper.before(stepper.rounds)),
        ("g \x1b[H \x1b[1~ \x1bOH", lambda stepper: 0),
        ("G $ \x1b[F \x1b[4~ \x1bOF", lambda stepper: stepper.last),
    ),
}
