"""Tuned as a game of the contract: positions with all that anybody may ask of them."""

from __future__ import annotations

from pentathlon_engines.contract.game import Game, GameInfo, action_of, text_of
from pentathlon_engines.tuned import moves, serialization
from pentathlon_engines.tuned.actions import ACTIONS, GRAMMAR, TEXTS
from pentathlon_engines.tuned.board import MAX_ACTIONS
from pentathlon_engines.tuned.state import TunedPosition

TYPE_CHECKING = False
if TYPE_CHECKING:
    from random import Random
    from typing import Any, Final

    from pentathlon_engines.contract.game import Game


class TunedState(TunedPosition):
    """A position of Tuned."""

    __slots__ = ()

    @property
    def game(self) -> Game:
        """The game that this position belongs to."""
        return GAME

    def copy(self) -> TunedState:
        """Return an independent twin of this state."""
        twin = TunedState()
        twin.options = self.options
        twin.seats = 2
        twin.to_move = self.to_move
        twin.outcome = self.outcome
        twin.turn = self.turn
        twin.donkeys = self.donkeys
        twin.dogs = self.dogs
        twin.cats = self.cats
        twin.hand = self.hand
        twin.other_hand = self.other_hand
        twin.blocked = self.blocked
        twin.other_blocked = self.other_blocked
        twin.last = self.last
        twin.banned = self.banned
        twin.actions = self.actions
        counts = self.counts
        twin.counts = None if counts is None else counts.copy()
        return twin

    def apply_unchecked(self, action: int) -> None:
        """Do an action without checking that it is legal; for search loops only."""
        moves.apply(self, action)

    def text(self, action: int) -> str:
        """Return `add <animal> <square>` or `move <from> <to> <n>`."""
        return text_of(action, TEXTS, title="Tuned")

    def parse(self, text: str) -> int:
        """Return the action with this text, legal here or not; raise `BadAction` if none has."""
        return action_of(text, ACTIONS, grammar=GRAMMAR)

    def to_json(self) -> dict[str, Any]:
        """Return the position as on the rules page (8), with the counts in `history`."""
        return serialization.describe(self)

    def observation(self, seat: int | None) -> dict[str, Any]:
        """Return the whole position: nothing is hidden in Tuned."""
        return self._seen_by(serialization.describe(self), seat)

    def event_for(self, seat: int | None, text: str) -> str:
        """Return the text as it is: nothing is hidden in Tuned."""
        return text

    def determinize(self, seat: int, rng: Random) -> TunedState:
        """Return a copy: nothing is hidden in Tuned."""
        return self.copy()


def first_position() -> TunedState:
    """Return the empty board with full hands."""
    state = TunedState()
    state.reset()
    return state


class TunedGame(Game):
    """Tuned, for two seats and without options."""

    def _start(self, seats: int, options: dict[str, Any]) -> TunedState:
        return first_position()

    def _load(self, data: dict[str, Any], options: dict[str, Any]) -> TunedState:
        state = first_position()
        serialization.read(state, data)
        return state


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
    ),
    rooms="commentary drawing encoding examples keys lesson",
)
