"""The course of a match of Way of the Dragon; sections in brackets are those of its rules page."""

from __future__ import annotations

from itertools import permutations

from pentathlon_engines.contract.action_texts import action_of, text_of
from pentathlon_engines.contract.game import CHANCE, Game, GameInfo, Option
from pentathlon_engines.errors import BadChance, BadOption, BadPosition
from pentathlon_engines.way_of_the_dragon import chance, serialization
from pentathlon_engines.way_of_the_dragon.actions import (
    ACTIONS,
    END,
    EQUILIBRIUM,
    EQUILIBRIUM_JUMP,
    EYE,
    FEAR,
    GRAMMAR,
    JUMP,
    KEEP,
    MOVE,
    PAIRS,
    PASS,
    PATHS,
    REBIRTH,
    STOP,
    SWAP,
    TEXTS,
    WILD,
)
from pentathlon_engines.way_of_the_dragon.board import USUAL_PLAIN, board_of, join_steps, step_of
from pentathlon_engines.way_of_the_dragon.dice import (
    COUNTS,
    DICE,
    LETTERS,
    NONE,
    RULES,
    throw,
)
from pentathlon_engines.way_of_the_dragon.table import (
    DEAD,
    EXTRA,
    KEEPING,
    MOVING,
    NOBODY,
    OVER,
    REROLLS,
    ROLL,
    START,
    Table,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from random import Random
    from typing import Any, Final

    from pentathlon_engines.contract.compiling import i64
    from pentathlon_engines.contract.game import Encoder, Evaluation, Policy
    from pentathlon_engines.contract.info import Outcome
    from pentathlon_engines.drawing.plain import Drawing

DRAW: Final = "draw"
"""The value of `start_seat` with which chance draws the seat that begins."""


class WayOfTheDragonState(Table):
    """A position of Way of the Dragon."""

    __slots__ = ()

    def reset(self, seats: int, options: dict[str, Any], plain: tuple[int, ...]) -> None:
        """Make this the position before anything is decided."""
        self.options = options
        self.seats = seats
        self.to_move = CHANCE
        self.outcome = None
        self.board = board_of(plain)
        self.powers = options["powers"]
        self.immunity = options["immunity"]
        self.cap = options["turn_cap_per_player"] * seats
        self.colors = tuple(LETTERS.index(letter) for letter in options["colors"][:seats])
        self.positions = [0] * (PATHS * seats)
        self.taken = [0] * PATHS
        self.dead = (0,) * PATHS
        self.phase = DEAD
        self.turn = 0
        self.turn_of = NOBODY
        self.dice = NONE
        self.kept = NONE
        self.rolls_left = 0
        self.used = 0
        self.last = (NOBODY, 0)
        self.moved = 0
        self.ply = 0

    @property
    def game(self) -> Game:
        """The game this is a position of."""
        return WAY_OF_THE_DRAGON

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
        twin.colors = self.colors
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

    def prepare(self) -> None:
        """Go on to what chance decides next before the first turn (3.7)."""
        if sum(mask.bit_count() for mask in self.dead) < self.options["dead"]:
            self.phase = DEAD
        elif self.options["start_seat"] == DRAW:
            self.phase = START
        else:
            self._begin_turn(int(self.options["start_seat"]))

    def apply_unchecked(self, action: int) -> None:
        """Do an action without looking whether it is legal: for search loops only."""
        self.ply += 1
        self.last = (self.turn_of, action)
        phase = self.phase
        if phase == KEEPING:
            self._keep(action)
        elif phase == MOVING:
            self._move(action)
            swapped = SWAP <= action < EQUILIBRIUM
            # A swap may bring all pieces of any seat on numbers, another move only own ones.
            race = self.is_race() if swapped else self.has_all_numbered(self.turn_of)
            self._end_move(race=race)
        else:
            self._choose_turn(action)

    def _keep(self, action: i64) -> None:
        """Stop rolling, or choose the dice that stay (4.1, 7.3)."""
        if action == STOP:
            self.rolls_left = 0
            self.phase = MOVING
            return
        if action < EYE:
            self.kept = action - KEEP
            self.rolls_left -= 1
        else:
            self.kept = action - EYE
            self._use_power()
        self.phase = ROLL
        self.to_move = CHANCE

    def _move(self, action: i64) -> None:
        if action < JUMP:
            self._advance(action - MOVE, COUNTS[self.dice][action - MOVE])
        elif action < WILD:
            self._use_power()
            self._advance(action - JUMP, COUNTS[self.dice][action - JUMP])
        elif action < SWAP:
            self._use_power()
            self._advance((action - WILD) // DICE, (action - WILD) % DICE + 1)
        elif action < EQUILIBRIUM:
            self._swap((action - SWAP) // len(PAIRS), *PAIRS[(action - SWAP) % len(PAIRS)])
        elif action < PASS:
            self._advance_all(jumping=action == EQUILIBRIUM_JUMP)
        else:
            self.moved = 0
            if action == FEAR:
                self._use_power()

    def _use_power(self) -> None:
        self.used |= 1 << self.turn_of

    def _advance_all(self, *, jumping: bool) -> None:
        """Move all own pieces that can go one space, blocked ones if they may jump (4.6, 7.5)."""
        paths = self.can_advance()
        if jumping:
            self._use_power()
            paths = sorted(paths + self.blocked())
        moved: i64 = 0
        for path in paths:
            self._advance(path, 1)
            moved = join_steps(moved, self.moved)
        self.moved = moved

    def _advance(self, path: i64, spaces: i64) -> None:
        """Move the own piece of a path, over what is in the way (4.3, 7.5)."""
        index = self.turn_of * PATHS + path
        origin: i64 = self.positions[index]
        target = self.landing(path, spaces)
        self.positions[index] = target
        taken: i64 = self.taken[path]
        if origin:
            taken ^= 1 << origin
        self.taken[path] = taken | 1 << target
        self.moved = step_of(path, origin, target)

    def _swap(self, path: int, low: int, high: int) -> None:
        """Let two pieces of a path trade places (4.5)."""
        on_path = self.positions[path::PATHS]
        first, second = on_path.index(low), on_path.index(high)
        self.positions[first * PATHS + path] = high
        self.positions[second * PATHS + path] = low
        self.moved = join_steps(step_of(path, low, high), step_of(path, high, low))

    def _end_move(self, *, race: bool) -> None:
        """See whether the match is over; if not, go on to an extra turn or the next seat."""
        outcome = self.ending(race=race)
        if outcome is not None:
            self.outcome = outcome
            self.phase = OVER
            self.to_move = None
        elif self.asks_for_extra():
            self.phase = EXTRA
        else:
            self._begin_turn(self._next_seat())

    def _next_seat(self) -> i64:
        following = self.turn_of + 1
        return following if following < self.seats else 0

    def _choose_turn(self, action: int) -> None:
        """End the turn, or take another one (4.7, 7.2)."""
        if action == REBIRTH:
            self._use_power()
        self._begin_turn(self._next_seat() if action == END else self.turn_of)

    def _begin_turn(self, seat: i64) -> None:
        self.turn += 1
        self.turn_of = seat
        self.kept = NONE
        self.rolls_left = REROLLS
        self.phase = ROLL
        self.to_move = CHANCE

    def sample_chance(self, rng: Random) -> str:
        """Draw what chance decides now, as a text that carries all of it."""
        self._check_chance()
        return chance.draw(self, rng)

    def chance_outcomes(self) -> list[tuple[str, int]]:
        """Return all that chance may decide now with exact weights."""
        self._check_chance()
        return chance.outcomes(self)

    def apply_chance(self, text: str) -> None:
        """Do what chance decided; raise `BadChance` if it cannot happen here."""
        self._check_chance()
        found = chance.read(self, text)
        if found is None:
            raise BadChance(f"{text!r} cannot happen here; write {chance.grammar(self)}")
        if self.phase == ROLL:
            self._see_roll(found[0])
            return
        self.ply += 1
        if self.phase == START:
            self._begin_turn(found[0])
        else:
            self._place_dead(found[0], found[1])

    def _place_dead(self, path: int, at: int) -> None:
        self.taken[path] |= 1 << at
        self.dead = tuple(
            mask | 1 << at if index == path else mask for index, mask in enumerate(self.dead)
        )
        self.prepare()

    def _see_roll(self, dice: i64) -> None:
        self.ply += 1
        self.dice = dice
        self.to_move = self.turn_of
        self.phase = KEEPING if self.rolls_left or self.asks_for_eye() else MOVING

    def playout(self, rng: Random) -> Outcome:
        """Play this very state to its end at random and return the outcome."""
        draw = rng.random
        while self.outcome is None:
            if self.phase == ROLL:
                self._see_roll(throw(self.kept, draw))
            elif self.phase > ROLL:
                self.apply_unchecked(self._draw_action(draw))
            else:
                self.apply_chance(self.sample_chance(rng))
        return self.outcome

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
        state.prepare()
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

    def drawing(self) -> Drawing:
        """Return the module that draws the board."""
        from pentathlon_engines.way_of_the_dragon import drawing

        return drawing

    def evaluation(self) -> Evaluation:
        """Return the worth of a position."""
        from pentathlon_engines.way_of_the_dragon import evaluation

        return evaluation.worth

    def policies(self) -> dict[str, Policy]:
        """Return the players of the rules page."""
        from pentathlon_engines.way_of_the_dragon import policies

        return policies.POLICIES

    def encoder(self) -> Encoder:
        """Return the encoder of observations."""
        from pentathlon_engines.way_of_the_dragon import encoding

        return encoding.features

    def glyphs(self) -> tuple[str, ...]:
        """Return what the game is recognised by."""
        return ("celestial", "fire", "wood")


def _check_start_seat(seats: int, options: dict[str, Any]) -> None:
    start_seat = options["start_seat"]
    if start_seat != DRAW and int(start_seat) >= seats:
        raise BadOption(
            f"option 'start_seat' is {start_seat!r}, but there are {seats} seats: "
            f"write '0' to '{seats - 1}' or {DRAW!r}"
        )


_SEATS: Final = (2, len(LETTERS))
_CAP: Final[dict[str, int]] = RULES["turn_cap_per_player"]
_MOST_DEAD: Final[int] = RULES["dead"]["most"]
_EVENTS_PER_TURN: Final = 8
"""Three rolls, two times `keep`, `stop` of who could roll a fourth time, the move, the extra turn.

The last turn has no question for another one, and one of all turns may have a fourth roll more.
"""

WAY_OF_THE_DRAGON: Final = WayOfTheDragonGame(
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
    )
)
