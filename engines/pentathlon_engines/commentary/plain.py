"""The commentary of games that have no other: it repeats the texts of their events."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

from pentathlon_engines.commentary.words import name_seat, tell_ranks
from pentathlon_engines.contract.game import CHANCE

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
    """A module that tells what happens in a game, such as this one.

    Its functions get what a viewer sees, and tell nothing beyond that.
    """

    def tell(self, change: Change, /) -> str:
        """Return an event in words, without a full stop and without the end of the match."""

    def tell_end(self, position: Position, /) -> str:
        """Return how the match ended, and why; `position` has a `result`."""

    def endings(self) -> Mapping[str, str]:
        """Return the meaning of each reason for an end, in a clause that fits every match."""

    def points(self, position: Position, /) -> list[int] | None:
        """Return the present points of each seat; None for a game without points."""

    def hands(self, position: Position, /) -> list[list[str]] | None:
        """Return the cards that the viewer sees in each hand; None for a game without hands."""

    def cards(self) -> Mapping[str, str]:
        """Return explanations of names that may need one, by the name as `tell` writes it."""


def tell(change: Change) -> str:
    """Return who acted, and the text of the event."""
    who = "Chance" if change.seat == CHANCE else change.who
    return f"{who}: {change.text}"


def tell_end(position: Position) -> str:
    """Return who wins and the reason that the rules give."""
    result = position["result"]
    return f"{tell_ranks(result['ranks'])} ({result['reason'].replace('_', ' ')})"


def endings() -> Mapping[str, str]:
    """Return nothing: no reason is known here."""
    return {}


def points(position: Position) -> list[int] | None:
    """Return the scores of a match that is over, else None."""
    result = position.get("result")
    return result.get("scores") if result else None


def hands(_position: Position) -> None:
    """Return None: no hand is known here."""


def cards() -> Mapping[str, str]:
    """Return nothing: no name is known here."""
    return {}
