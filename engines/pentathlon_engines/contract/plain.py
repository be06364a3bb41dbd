"""What games without pictures or words of their own get: their observations and texts."""

from __future__ import annotations

import json
from typing import Final

from pentathlon_engines.commentary.words import count, tell_ranks
from pentathlon_engines.contract.game import CHANCE, State
from pentathlon_engines.drawing.svg import WIDTH, Picture

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from pentathlon_engines.contract.presentation import Change, Position

_LINE: Final = 26
_MARGIN: Final = 30
_CHARACTERS: Final = 60
_MOST_LINES: Final = 200


def svg(state: State, seat: int | None) -> str:
    """Draw an observation in a frame, one field on each line."""
    lines = _lines(state, seat)
    height = 2 * _MARGIN + _LINE * len(lines)
    picture = Picture(height=height, field=(0, 0, WIDTH, height))
    for number, line in enumerate(lines):
        picture.text(line, (_MARGIN, _MARGIN + _LINE * number), size=18, anchor="start")
    return picture.document(title=state.game.info.title, description=". ".join(lines))


def text(state: State) -> str:
    """Return the observation of a spectator, one field on each line."""
    return "\n".join(_lines(state, None))


def _lines(state: State, seat: int | None) -> list[str]:
    seen = state.observation(seat)
    lines = [f"{name}: {json.dumps(value)}"[:_CHARACTERS] for name, value in seen.items()]
    return lines[:_MOST_LINES]


def tell(change: Change) -> str:
    """Return who acted, and the text of the event."""
    who = "Chance" if change.seat == CHANCE else change.who
    return f"{who}: {change.text}"


def ask(position: Position) -> str:
    """Return how many actions there are to choose from."""
    return f"Choose one of {count(len(position['legal']), 'action')}."


def refuse(_position: Position, _name: str) -> str:
    """Return nothing: no rule is known here."""
    return ""


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
