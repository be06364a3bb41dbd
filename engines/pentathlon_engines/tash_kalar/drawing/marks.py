"""The latest change in a match, derived from its event texts: squares and a card."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from pentathlon_engines.contract.game import CHANCE

_START: Final = {"summon": 2, "setup": 1}
_TARGET: Final = {"move": 2} | dict.fromkeys(
    ("place", "leap", "upgrade", "downgrade", "convert"), 1
)
"""By verb, the word of a text that names the square of a placement or change."""
_ORIGIN: Final = {"move": 1, "pick": 1, "pickup": 1}
_BETWEEN_TURNS: Final = ("claim", "end", "draw")
_OF_AN_EFFECT: Final = (
    *_TARGET,
    *_ORIGIN,
    "destroy",
    "dir",
    "opt",
    "take",
    "keep",
    "throw",
    "pass",
)


Event = tuple[int, str]
"""A seat and its action."""


class Marks:
    """Squares to mark, each once: targets, origins, and squares of destroyed pieces."""

    def __init__(self) -> None:
        self.targets: list[str] = []
        self.origins: list[str] = []
        self.destroyed: list[str] = []

    def add(self, text: str) -> None:
        """Add the squares of one action."""
        words = text.split()
        for squares, at in ((self.targets, _START | _TARGET), (self.origins, _ORIGIN)):
            if words[0] in at:
                _note(squares, words[at[words[0]]])
        if words[0] == "destroy":
            _note(self.destroyed, words[1])


def marks_of(events: Sequence[Event], emptied: Sequence[str] = ()) -> Marks:
    """Return the squares of the last action or, within an effect, of the whole effect.

    Emptied are squares on which something was destroyed, even if no event says so.
    """
    marks = Marks()
    for text in reversed(_last_actions(events)):
        marks.add(text)
    for name in emptied:
        if name not in marks.targets:
            _note(marks.destroyed, name)
    return marks


def last_card(events: Sequence[Event], played: dict[str, Any]) -> tuple[str, str]:
    """Return the card played last and the square of a being, or two empty values.

    The actions of invoking a flare and of thawing do not name the card, which is the last of the
    played ones.
    """
    for seat, text in reversed(events):
        words = text.split()
        if words[0] in ("summon", "warp"):
            return words[1], "".join(words[2:3])
        lying = {"flare": played["flares"], "thaw": played["beings"][seat]}.get(words[0])
        if lying:
            return lying[-1], ""
    return "", ""


def _last_actions(events: Sequence[Event]) -> list[str]:
    """Return the last action and its follow-ups, latest first."""
    found: list[str] = []
    actor = CHANCE
    for seat, text in reversed(events):
        word = text.split()[0]
        if seat == CHANCE or word in _BETWEEN_TURNS:
            continue
        if found and seat != actor:
            break
        actor = seat
        found.append(text)
        # A `place` of an effect is one of several steps; a `place` that comes last is an action
        # alone.
        if word not in _OF_AN_EFFECT or (word == "place" and len(found) == 1):
            break
    return found


def _note(squares: list[str], square: str) -> None:
    if square not in squares:
        squares.append(square)
