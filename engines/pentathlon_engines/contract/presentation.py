"""What a game shows: modules that draw its positions, tell its events, and count for learners."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

from pentathlon_engines.commentary.words import name_seat

Position = Mapping[str, Any]  # Any: JSON
"""A position as one viewer sees it: an observation, or all of it from `State.to_json`."""


class Change(NamedTuple):
    """One event, with the positions before and after it as one viewer sees them."""

    before: Position
    seat: int
    """The seat that acted, or `CHANCE`."""
    text: str
    """The event as `State.event_for` shows it to the same viewer."""
    after: Position
    is_foreseen: bool = False
    """Whether the event is only considered; what nobody can know in advance is then left out."""

    @property
    def who(self) -> str:
        """Return the colour of the seat that acted."""
        return name_seat(self.seat)


class Commentary(Protocol):
    """A module that tells what happens in a game; `plain.py` is one.

    Its functions get what a viewer sees, and tell nothing beyond that.
    """

    def tell(self, change: Change, /) -> str:
        """Return an event in words, without a full stop and without the end of the match."""

    def ask(self, position: Position, /) -> str:
        """Return what the seat to move has to decide, as a sentence to it.

        `position` is the observation of that seat.
        """

    def refuse(self, position: Position, name: str, /) -> str:
        """Return why no legal action begins with this cell, card or mark; empty if `ask` tells.

        `position` is the observation of the seat to move.
        """

    def tell_end(self, position: Position, /) -> str:
        """Return how the match ended, and why; `position` has a `result`."""

    def endings(self) -> Mapping[str, str]:
        """Return how each reason decides a match, in words that follow "Violet wins"."""

    def points(self, position: Position, /) -> list[int] | None:
        """Return the present points of each seat; None for a game without points."""

    def hands(self, position: Position, /) -> list[list[str]] | None:
        """Return the cards that the viewer sees in each hand; None for a game without hands."""

    def cards(self) -> Mapping[str, str]:
        """Return explanations of names that may need one, by the name as `tell` writes it."""


class Drawing(Protocol):
    """A module that draws the positions of a game; `plain.py` is one."""

    def svg(self, state: Any, seat: int | None, /) -> str:  # Any: a state of that game
        """Draw a position as standalone SVG, as the seat or a spectator may see it."""

    def text(self, state: Any, /) -> str:  # Any: the same
        """Draw a position for a terminal."""


class Encoder(Protocol):
    """A module that turns positions into numbers, for learners; `encoding/hashes.py` is one."""

    def size(self, seats: int, /) -> int:
        """Return how many numbers there are in a match with so many seats."""

    def encode(self, state: Any, seat: int, pieces: list[bytes], /) -> None:  # Any: its states
        """Add what a seat sees: numbers from -1 to 1 as memory holds them in single precision."""
