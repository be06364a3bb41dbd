"""Tuned as a game that can be started and loaded."""

from __future__ import annotations

from pentathlon_engines.contract.game import Game, GameInfo
from pentathlon_engines.tuned import serialization
from pentathlon_engines.tuned.actions import TEXTS
from pentathlon_engines.tuned.board import MAX_ACTIONS
from pentathlon_engines.tuned.state import TunedState, first_position

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from pentathlon_engines.contract.game import Encoder
    from pentathlon_engines.drawing.plain import Drawing


class TunedGame(Game):
    """Tuned, for two seats and without options."""

    def _start(self, seats: int, options: dict[str, Any]) -> TunedState:
        return first_position()

    def _load(self, data: dict[str, Any], options: dict[str, Any]) -> TunedState:
        state = first_position()
        serialization.read(state, data)
        return state

    def drawing(self) -> Drawing:
        """Return the module that draws the board."""
        from pentathlon_engines.tuned import drawing

        return drawing

    def encoder(self) -> Encoder:
        """Return the encoder of observations."""
        from pentathlon_engines.tuned import encoding

        return encoding.features

    def glyphs(self) -> tuple[str, ...]:
        """Return what the game is recognised by."""
        return ("donkey", "dog", "cat")


GAME: Final = TunedGame(
    GameInfo(
        "tuned",
        title="Tuned",
        version=1,
        seats=(2, 2),
        default_seats=2,
        hidden=False,
        chance=False,
        actions=len(TEXTS),
        longest=MAX_ACTIONS,
    )
)
