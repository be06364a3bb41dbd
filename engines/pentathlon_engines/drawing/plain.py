"""The drawing of games that have no other: an observation as lines of text."""

from __future__ import annotations

import json
from typing import Any, Final, Protocol

from pentathlon_engines.drawing.svg import WIDTH, Picture

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pentathlon_engines.contract.game import State

_LINE: Final = 26
_MARGIN: Final = 30
_CHARACTERS: Final = 60
_MOST_LINES: Final = 200


class Drawing(Protocol):
    """A module that draws the positions of a game, such as this one."""

    def svg(self, state: Any, seat: int | None, /) -> str:  # Any: a state of that game
        """Draw a position as standalone SVG, as the seat or a spectator may see it."""

    def text(self, state: Any, /) -> str:  # Any: the same
        """Draw a position for a terminal."""


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
