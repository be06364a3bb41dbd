"""Way of the Dragon as a game of the contract: positions with all that anybody may ask of them."""

from __future__ import annotations

from itertools import permutations

from pentathlon_engines.contract.game import Game, GameInfo, Option, action_of, text_of
from pentathlon_engines.errors import BadOption, BadPosition
from pentathlon_engines.way_of_the_dragon import chance, moves, serialization
from pentathlon_engines.way_of_the_dragon.actions import ACTIONS, GRAMMAR, TEXTS
from pentathlon_engines.way_of_the_dragon.board import DRAW, ROLL, USUAL_PLAIN
from pentathlon_engines.way_of_the_dragon.dice import LETTERS, RULES, throw
from pentathlon_engines.way_of_the_dragon.state import WayOfTheDragonPosition

TYPE_CHECKING = False
if TYPE_CHECKING:
    from random import Random
    from typing import Any, Final

    from pentathlon_engines.contract.game import Outcome, Policy, Prospects


class WayOfTheDragonState(WayOfTheDragonPosition):
    """A position of Way of the Dragon."""

    __slots__ = ()

    @property
    def game(self) -> Game:
        """The game that this position belongs to."""
        return GAME

    def copy(self) -> WayOfTheDragonState:
        """Return an independent twin of this state."""
        twin = WayOfTheDragonState()
        twin.options = self.options
        twin.seats = self.seats
        twin.to_move = self.to_move
        twin.outcome = self.outcome
        twin.board = self.board
        twin.powers = self.powers
        twin.immunity = self.immunity
        twin.cap = self.cap
        twin.colours = self.colours
        twin.positions = self.positions[:]
        twin.taken = self.taken[:]
        twin.dead = self.dead
        twin.phase = self.phase
        twin.turn = self.turn
        twin.turn_of = self.turn_of
        twin.dice = self.dice
        twin.kept = self.kept
        twin.rolls_left = self.rolls_left
        twin.used = self.used
        twin.last = self.last
        twin.moved = self.moved
        twin.ply = self.ply
        return twin

    def apply_unchecked(self, action: int) -> None:
        """Do an action without checking that it is legal; for search loops only."""
        moves.apply(self, action)

    def playout(self, rng: Random) -> Outcome:
        """Play this state itself to its end at random and return the outcome."""
        draw = rng.random
        while self.outcome is None:
            if self.phase == ROLL:
                moves.see_roll(self, throw(self.kept, draw))
            elif self.phase > ROLL:
                moves.apply(self, self._draw_action(draw))
            else:
                moves.apply_chance(self, self.sample_chance(rng))
        return self.outcome

    def sample_chance(self, rng: Random) -> str:
        """Draw the next chance event, as a text that contains the whole outcome."""
        self._check_chance()
        return chance.draw(self, rng)

    def apply_chance(self, text: str) -> None:
        """Apply a chance outcome; raise `BadChance` if it is impossible here."""
        self._check_chance()
        moves.apply_chance(self, text)

    def chance_outcomes(self) -> list[tuple[str, int]]:
        """Return all possible chance events with exact weights."""
        self._check_chance()
        return chance.outcomes(self)

    def text(self, action: int) -> str:
        """Return the words of the rules for an action."""
        return text_of(action, TEXTS, title="Way of the Dragon")

    def parse(self, text: str) -> int:
        """Return the action with this text, legal here or not; raise `BadAction` if none has."""
        return action_of(text, ACTIONS, grammar=GRAMMAR)

    def to_json(self) -> dict[str, Any]:
        """Return the position as on the rules page (10)."""
        return serialization.describe(self)

    def observation(self, seat: int | None) -> dict[str, Any]:
        """Return the whole position: only the dice to come are unknown, and those to all."""
        return self._seen_by(serialization.describe(self), seat)

    def event_for(self, seat: int | None, text: str) -> str:
        """Return the text as it is: nothing is hidden in Way of the Dragon."""
        return text

    def determinize(self, seat: int, rng: Random) -> WayOfTheDragonState:
        """Return a copy: nothing is hidden in Way of the Dragon."""
        return self.copy()


class WayOfTheDragonGame(Game):
    """Way of the Dragon, for two to five seats."""

    def _start(self, seats: int, options: dict[str, Any]) -> WayOfTheDragonState:
        _check_start_seat(seats, options)
        state = WayOfTheDragonState()
        state.reset(seats, options, USUAL_PLAIN)
        moves.prepare(state)
        return state

    def _load(self, data: dict[str, Any], options: dict[str, Any]) -> WayOfTheDragonState:
        seats = serialization.seats(data, self.info.seats)
        try:
            _check_start_seat(seats, options)
        except BadOption as error:
            raise BadPosition(f"options: {error}") from error
        state = WayOfTheDragonState()
        state.reset(seats, options, serialization.plain_spaces(data))
        serialization.read(state, data)
        return state

    def prospects(self, seats: int) -> Prospects | None:
        """Return the shares that seats may expect; with two seats, the evaluation is better."""
        if seats == _PAIR:
            return None
        from pentathlon_engines.way_of_the_dragon import prospects

        return prospects.shares

    def playout_policy(self) -> Policy | None:
        """Return the greedy player: it needs no evaluation."""
        from pentathlon_engines.way_of_the_dragon import policies

        return policies.play_greedy


def _check_start_seat(seats: int, options: dict[str, Any]) -> None:
    start_seat = options["start_seat"]
    if start_seat != DRAW and int(start_seat) >= seats:
        raise BadOption(
            f"option 'start_seat' is {start_seat!r}, but there are {seats} seats: "
            f"write '0' to '{seats - 1}' or {DRAW!r}"
        )


_PAIR: Final = 2
_SEATS: Final = (_PAIR, len(LETTERS))
_CAP: Final[dict[str, int]] = RULES["turn_cap_per_player"]
_MOST_DEAD: Final[int] = RULES["dead"]["most"]
_EVENTS_PER_TURN: Final = 8
"""Three rolls, two `keep`, the `stop` of a seat that could roll again, the move, the extra turn.

The last turn has no question about an extra turn; one turn of the match may have a fourth roll.
"""

GAME: Final = WayOfTheDragonGame(
    GameInfo(
        "way_of_the_dragon",
        title="Way of the Dragon",
        version=1,
        seats=_SEATS,
        default_seats=2,
        hidden=False,
        chance=True,
        actions=len(TEXTS),
        longest=_MOST_DEAD + 1 + _EVENTS_PER_TURN * _CAP["most"] * _SEATS[1],
        options=(
            Option("powers", kind="flag", default=False),
            Option("immunity", kind="flag", default=False),
            Option("dead", kind="integer", default=0, choices=(0, _MOST_DEAD)),
            Option(
                "colors",
                kind="choice",
                default=LETTERS,
                choices=tuple("".join(letters) for letters in permutations(LETTERS)),
            ),
            Option(
                "start_seat",
                kind="choice",
                default=DRAW,
                choices=(DRAW, *(str(seat) for seat in range(_SEATS[1]))),
            ),
            Option(
                "turn_cap_per_player",
                kind="integer",
                default=_CAP["default"],
                choices=(1, _CAP["most"]),
            ),
        ),
    ),
    rooms="commentary drawing encoding evaluation examples keys lesson policies touches",
)
