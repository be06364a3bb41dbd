"""Maatatahay as a game of the contract: positions with all that anybody may ask of them."""

from __future__ import annotations

from pentathlon_engines.contract.game import CHANCE, Game, GameInfo, action_of, text_of
from pentathlon_engines.maatatahay import chance, hidden, moves, serialization
from pentathlon_engines.maatatahay.actions import ACTIONS, GRAMMAR, TEXTS
from pentathlon_engines.maatatahay.board import ROUNDS, SETTING_UP, SPECIAL_OF, TILES, TRACK_END
from pentathlon_engines.maatatahay.state import MaatatahayPosition

TYPE_CHECKING = False
if TYPE_CHECKING:
    from random import Random
    from typing import Any, Final

    from pentathlon_engines.contract.game import Outcome, State


class MaatatahayState(MaatatahayPosition):
    """A position of Maatatahay."""

    __slots__ = ()

    @property
    def game(self) -> Game:
        """The game that this position belongs to."""
        return GAME

    def copy(self) -> MaatatahayState:  # noqa: PLR0915  # one statement per attribute is fastest
        """Return an independent twin of this state."""
        twin = MaatatahayState()
        twin.options = self.options
        twin.seats = 2
        twin.to_move = self.to_move
        twin.outcome = self.outcome
        twin.phase = self.phase
        twin.round = self.round
        twin.active = self.active
        twin.stream = self.stream[:]
        twin.pair = self.pair
        twin.first = self.first
        twin.step = self.step
        twin.last = self.last
        twin.targets = self.targets
        twin.tiles = self.tiles[:]
        twin.filled = self.filled
        twin.living = self.living
        twin.wazu = self.wazu
        twin.spirit = self.spirit[:]
        twin.energy = self.energy[:]
        twin.relics = self.relics
        twin.crowds = self.crowds
        twin.places = self.places[:]
        twin.stored_spirit = self.stored_spirit[:]
        twin.stored_energy = self.stored_energy[:]
        twin.owned = self.owned[:]
        twin.last_relic = self.last_relic
        twin.deaths = self.deaths[:]
        twin.round_deaths = self.round_deaths
        twin.supply_spirit = self.supply_spirit
        twin.supply_energy = self.supply_energy
        twin.deck = self.deck
        twin.bag = self.bag
        return twin

    def apply_unchecked(self, action: int) -> None:
        """Do an action without checking that it is legal; for search loops only."""
        moves.apply(self, action)

    def playout(self, rng: Random) -> Outcome:
        """Play this state itself to its end at random and return the outcome."""
        if self.phase == SETTING_UP:
            self.apply_chance(self.sample_chance(rng))
        draw = rng.random
        while self.outcome is None:
            moves.apply(self, self._draw_action(draw))
        return self.outcome

    def sample_chance(self, rng: Random) -> str:
        """Draw the setup, the only thing that chance decides (3.7)."""
        self._check_chance()
        return chance.draw_setup(rng)

    def apply_chance(self, text: str) -> None:
        """Apply a chance outcome; raise `BadChance` if it is impossible here."""
        self._check_chance()
        moves.apply_chance(self, text)

    def chance_outcomes(self) -> list[tuple[str, int]]:
        """Return nothing: setups are too many to list."""
        self._check_chance()
        return []

    def text(self, action: int) -> str:
        """Return the text of the rules (9), such as `place c3 pay s1e2`."""
        return text_of(action, TEXTS, title="Maatatahay")

    def parse(self, text: str) -> int:
        """Return the action with this text, legal here or not; raise `BadAction` if none has."""
        return action_of(text, ACTIONS, grammar=GRAMMAR)

    def to_json(self) -> dict[str, Any]:
        """Return the position as on the rules page (10)."""
        return serialization.describe(self)

    def observation(self, seat: int | None) -> dict[str, Any]:
        """Return the observation of a seat or a spectator, which differ only in `you` (10.3)."""
        return self._seen_by(serialization.show(self), seat)

    def event_for(self, seat: int | None, text: str) -> str:
        """Return an action as it is, and the setup without the order of decks and bag."""
        return chance.hide(text) if self.to_move == CHANCE else text

    def determinize(self, seat: int, rng: Random) -> MaatatahayState:
        """Return a state with decks and bag shuffled anew: nobody knows their order (10.2)."""
        twin = self.copy()
        hidden.redeal(twin, rng)
        return twin


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

    def touches(self, state: State, action: int) -> list[str]:
        """Return the pair or the space of an action."""
        text = state.text(action)
        return [text] if text.startswith("pair ") else text.split()[1:2]


_DECISIONS_PER_ROUND: Final = 8
"""The pair and the order, then space, face and crystals of two tiles."""
_SPECIALS: Final = sum(
    SPECIAL_OF[tile << 3 | seat] > 0 for tile in range(1, TILES + 1) for seat in (0, 1)
)
_DEADLY_PLACEMENTS: Final = TRACK_END - 1 + 2
"""The most placements with a `settle`: each kills, and fewer than six tiles have died before the
last round."""
_SETTLES: Final = 2 * TILES + _SPECIALS * _DEADLY_PLACEMENTS
"""The most `settle`s: each kills a tile, or spares a special one in a placement that kills."""

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
    ),
    rooms="commentary drawing encoding evaluation examples lesson",
)
