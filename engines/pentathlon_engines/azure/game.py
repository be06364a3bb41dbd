"""Azure as a game that can be started and loaded."""

from __future__ import annotations

from pentathlon_engines.azure import serialization
from pentathlon_engines.azure.actions import TEXTS
from pentathlon_engines.azure.board import BIRD_CARDS, COMMON_STONES, GIFTS
from pentathlon_engines.azure.state import AzureState
from pentathlon_engines.contract.game import Game, GameInfo, Option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from pentathlon_engines.contract.game import Encoder, Evaluation, Policy
    from pentathlon_engines.drawing.plain import Drawing


class AzureGame(Game):
    """Azure, for two seats; the gifted module is an option."""

    def _start(self, seats: int, options: dict[str, Any]) -> AzureState:
        state = AzureState()
        state.reset(options)
        return state

    def _load(self, data: dict[str, Any], options: dict[str, Any]) -> AzureState:
        state = AzureState()
        state.reset(options)
        serialization.read(state, data)
        return state

    def drawing(self) -> Drawing:
        """Return the module that draws the board."""
        from pentathlon_engines.azure import drawing

        return drawing

    def evaluation(self) -> Evaluation:
        """Return the worth of a position."""
        from pentathlon_engines.azure import evaluation

        return evaluation.worth

    def policies(self) -> dict[str, Policy]:
        """Return the players of the rules page."""
        from pentathlon_engines.azure import policies

        return policies.POLICIES

    def encoder(self) -> Encoder:
        """Return the encoder of observations."""
        from pentathlon_engines.azure import encoding

        return encoding.features

    def glyphs(self) -> tuple[str, ...]:
        """Return what the game is recognised by."""
        return ("qi", "mountain", "wisdom")


_TURNS: Final = 2 * (COMMON_STONES + 1)
_EVENTS_PER_TURN: Final = 2 + BIRD_CARDS
"""The stone, a return, and a reshuffle for each card that is drawn."""
_BOONS: Final = 2 * 8
"""At most one for each cell around a gifted stone."""

GAME: Final = AzureGame(
    GameInfo(
        "azure",
        title="Azure",
        version=1,
        seats=(2, 2),
        default_seats=2,
        hidden=True,
        chance=True,
        actions=len(TEXTS),
        longest=1 + _TURNS * _EVENTS_PER_TURN + _BOONS,
        options=(Option("gifted", kind="choice", default=GIFTS[0], choices=GIFTS),),
    )
)
