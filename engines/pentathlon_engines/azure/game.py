"""Azure as an implementation of the game contract: its positions and their operations."""

from __future__ import annotations

from pentathlon_engines.azure import chance, hidden, moves, serialization
from pentathlon_engines.azure.actions import ACTIONS, GRAMMAR, TEXTS
from pentathlon_engines.azure.board import BIRD_CARDS, COMMON_STONES, GIFTS, SETUP
from pentathlon_engines.azure.state import AzurePosition
from pentathlon_engines.contract.game import CHANCE, Game, GameInfo, Option, action_of, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from random import Random
    from typing import Any, Final


class AzureState(AzurePosition):
    """A position of Azure."""

    __slots__ = ()

    @property
    def game(self) -> Game:
        """The game that this position belongs to."""
        return GAME

    def copy(self) -> AzureState:
        """Return an independent copy of this state."""
        twin = AzureState()
        twin.options = self.options
        twin.seats = 2
        twin.to_move = self.to_move
        twin.outcome = self.outcome
        twin.phase = self.phase
        twin.gift = self.gift
        twin.extra = self.extra
        twin.realm = self.realm
        twin.mover = self.mover
        twin.sides = [self.sides[0].copy(), self.sides[1].copy()]
        twin.decks = self.decks
        twin.hidden = self.hidden
        twin.beasts = self.beasts[:]
        twin.due = self.due
        twin.payable = self.payable
        twin.boon_at = self.boon_at
        twin.draws = self.draws
        twin.decider = self.decider
        twin.log = self.log[:]
        twin.before = self.before[:]
        return twin

    def apply_unchecked(self, action: int) -> None:
        """Do an action without checking that it is legal; for search loops only."""
        moves.apply(self, action)

    def sample_chance(self, rng: Random) -> str:
        """Draw the setup (4.7) or the order of a new hidden deck (9.2)."""
        self._check_chance()
        if self.phase == SETUP:
            return chance.draw_setup(rng)
        return chance.draw_deck(self.decks, rng)

    def apply_chance(self, text: str) -> None:
        """Apply a chance outcome; raise `BadChance` if it is impossible here."""
        self._check_chance()
        moves.apply_chance(self, text)

    def chance_outcomes(self) -> list[tuple[str, int]]:
        """Return the equally likely orders of a new hidden deck; setups are too many to list."""
        self._check_chance()
        return [] if self.phase == SETUP else chance.all_decks(self.decks)

    def text(self, action: int) -> str:
        """Return `place <cell>`, `gift <cell>`, `return <xy>` or `boon <sort>`."""
        return text_of(action, TEXTS, title="Azure")

    def parse(self, text: str) -> int:
        """Return the action with this text, legal or not; raise `BadAction` if there is none."""
        return action_of(text, ACTIONS, grammar=GRAMMAR)

    def to_json(self) -> dict[str, Any]:
        """Return the position in the format of the rules page (12.2)."""
        return serialization.describe(self)

    def observation(self, seat: int | None) -> dict[str, Any]:
        """Return the observation of a seat or a spectator (12.3)."""
        return self._seen_by(serialization.show(self, seat), seat)

    def event_for(self, seat: int | None, text: str) -> str:
        """Return an action unchanged, and a chance text as the seat may see it."""
        return chance.hide(text, seat) if self.to_move == CHANCE else text

    def determinize(self, seat: int, rng: Random) -> AzurePosition:
        """Return a state in which the cards unknown to the seat are dealt at random."""
        return hidden.redeal(self, seat, rng)


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


_TURNS: Final = 2 * (COMMON_STONES + 1)
_EVENTS_PER_TURN: Final = 2 + BIRD_CARDS
"""The stone, a return, and one reshuffle for each card that is drawn."""
_BOONS: Final = 2 * 8
"""The maximum number of boons: one for each cell around each gifted stone."""

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
    ),
    rooms="commentary drawing encoding evaluation examples lesson policies",
)
