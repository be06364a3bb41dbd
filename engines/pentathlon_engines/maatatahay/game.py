"""Maatatahay as a game that can be started and loaded."""

from __future__ import annotations

from pentathlon_engines.contract.game import Game, GameInfo
from pentathlon_engines.maatatahay import serialization
from pentathlon_engines.maatatahay.actions import TEXTS
from pentathlon_engines.maatatahay.board import ROUNDS, SPECIAL_OF, TILES, TRACK_END
from pentathlon_engines.maatatahay.state import MaatatahayState

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from pentathlon_engines.contract.game import Encoder, Evaluation
    from pentathlon_engines.drawing.plain import Drawing


class MaatatahayGame(Game):
    """Maatatahay, for two seats."""

    def _start(self, seats: int, options: dict[str, Any]) -> MaatatahayState:
        state = MaatatahayState()
        state.reset()
        return state

    def _load(self, data: dict[str, Any], options: dict[str, Any]) -> MaatatahayState:
        state = MaatatahayState()
        state.reset()
        serialization.read(state, data)
        return state

    def drawing(self) -> Drawing:
        """Return the module that draws the board."""
        from pentathlon_engines.maatatahay import drawing

        return drawing

    def evaluation(self) -> Evaluation:
        """Return the worth of a position."""
        from pentathlon_engines.maatatahay import evaluation

        return evaluation.worth

    def encoder(self) -> Encoder:
        """Return the encoder of observations."""
        from pentathlon_engines.maatatahay import encoding

        return encoding.features

    def glyphs(self) -> tuple[str, ...]:
        """Return what the game is recognised by."""
        return ("claw", "energy", "relic")


_DECISIONS_PER_ROUND: Final = 8
"""Pair and order, and space, face and crystals of two tiles."""
_SPECIALS: Final = sum(
    SPECIAL_OF[tile << 3 | seat] > 0 for tile in range(1, TILES + 1) for seat in (0, 1)
)
_DEADLY_PLACEMENTS: Final = TRACK_END - 1 + 2
"""Each placement with a `settle` kills; before the last round fewer than six tiles have died."""
_SETTLES: Final = 2 * TILES + _SPECIALS * _DEADLY_PLACEMENTS
"""Each `settle` kills a tile, or spares a special one in a placement that kills."""

GAME: Final = MaatatahayGame(
    GameInfo(
        "maatatahay",
        title="Maatatahay",
        version=1,
        seats=(2, 2),
        default_seats=2,
        hidden=True,
        chance=True,
        actions=len(TEXTS),
        longest=1 + ROUNDS * _DECISIONS_PER_ROUND + _SETTLES,
    )
)
