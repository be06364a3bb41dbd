"""Connect four as a game of the contract: positions with all that anybody may ask of them."""

from __future__ import annotations

from pentathlon_engines.contract.game import Game, GameInfo, action_of, text_of
from pentathlon_engines.examples.connect_four import serialization
from pentathlon_engines.examples.connect_four.board import ACTIONS, GRAMMAR, PLAYED, TEXTS
from pentathlon_engines.examples.connect_four.state import ConnectFourPosition

TYPE_CHECKING = False
if TYPE_CHECKING:
    from random import Random
    from typing import Any, Final


class ConnectFourState(ConnectFourPosition):
    """A position of connect four."""

    __slots__ = ()

    @property
    def game(self) -> Game:
        """The game that this position belongs to."""
        return GAME

    def copy(self) -> ConnectFourState:
        """Return an independent twin of this state."""
        twin = ConnectFourState()
        twin.options, twin.seats = self.options, self.seats
        twin.to_move, twin.outcome = self.to_move, self.outcome
        twin.discs, twin.heights = self.discs[:], self.heights[:]
        return twin

    def text(self, action: int) -> str:
        """Return `drop <column>`."""
        return text_of(action, TEXTS, title="Connect four")

    def parse(self, text: str) -> int:
        """Return the action with this text, legal here or not; raise `BadAction` if none has."""
        return action_of(text, ACTIONS, grammar=GRAMMAR)

    def to_json(self) -> dict[str, Any]:
        """Return the position."""
        return serialization.TABLE.write(self)

    def observation(self, seat: int | None) -> dict[str, Any]:
        """Return the whole position: nothing is hidden in connect four."""
        return self._seen_by(self.to_json(), seat)

    def event_for(self, seat: int | None, text: str) -> str:
        """Return the text as it is: nothing is hidden in connect four."""
        return text

    def determinize(self, seat: int, rng: Random) -> ConnectFourState:
        """Return a copy: nothing is hidden in connect four."""
        return self.copy()


class ConnectFourGame(Game):
    """Connect four, for two seats and without options."""

    def _start(self, seats: int, options: dict[str, Any]) -> ConnectFourState:
        state = ConnectFourState()
        state.reset()
        return state

    def _load(self, data: dict[str, Any], options: dict[str, Any]) -> ConnectFourState:
        state = self._start(2, options)
        serialization.read(state, data)
        return state


GAME: Final = ConnectFourGame(
    GameInfo(
        "connect_four",
        title="Connect four",
        version=1,
        seats=(2, 2),
        default_seats=2,
        hidden=False,
        chance=False,
        actions=len(TEXTS),
        longest=len(PLAYED),
    ),
    rooms="commentary drawing encoding evaluation",
)
