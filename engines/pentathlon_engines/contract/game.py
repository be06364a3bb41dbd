"""The contract of every game: a `Game` starts or loads a `State`, and a state is played on.

Somebody decides at each point of a match: a seat, chance (`CHANCE`), or nobody when it is over.
Rules never draw random numbers themselves; the caller hands in a generator:

>>> import random
>>> from pentathlon_engines import CHANCE, GAMES
>>> rng = random.Random(7)
>>> state = GAMES["tuned"].start()
>>> while state.to_move is not None:
...     if state.to_move == CHANCE:
...         state.apply_chance(state.sample_chance(rng))
...     else:
...         state.apply(rng.choice(state.legal_actions()))
>>> state.outcome
Outcome((1, 0), 'line')
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from pentathlon_engines.contract.compiling import mypyc_attr
from pentathlon_engines.contract.info import GameInfo, Option, Outcome
from pentathlon_engines.errors import BadPosition, EngineError, IllegalAction, NotToMove

TYPE_CHECKING = False  # `typing` is not loaded on the way to a bot's first action
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from random import Random
    from typing import Any, Final

    from pentathlon_engines.drawing.plain import Drawing

    Encoder = Callable[[dict[str, Any], int], list[float]]
    """Turns an observation, at a table of so many seats, into numbers from -1 to 1."""
    Evaluation = Callable[[Any, int], float]
    """Says how good a position looks to a seat; more is better."""
    Policy = Callable[["State", list[int], Random], int]
    """Chooses one of the legal actions."""

    Draw = Callable[[], float]
    """Gives numbers from 0 up to, but never, 1."""

__all__ = ["CHANCE", "Game", "GameInfo", "Option", "Outcome", "State"]

CHANCE: Final = -1


@mypyc_attr(allow_interpreted_subclasses=True)
class Game(ABC):
    """One game with its rules. There is one object per game, in `GAMES`.

    What is not needed to play is a hook with a default: `drawing`, `evaluation`, `policies`,
    `encoder`, `glyphs`. A hook loads its module when it is called: bots need none of them, and
    start-up is most of a short match.
    """

    __slots__ = ("info",)

    def __init__(self, info: GameInfo) -> None:
        self.info = info

    def start(self, seats: object = None, options: Mapping[str, Any] | None = None) -> State:
        """Return the first position of a match; what is left out takes its default.

        Raise `BadSeats` if `seats` is not a number that the game allows, `BadOption` likewise.
        """
        return self._start(self.info.check_seats(seats), self.info.check_options(options))

    def load(self, data: Mapping[str, Any]) -> State:
        """Return the position that `State.to_json` described, or raise `BadPosition`."""
        if not isinstance(data, dict):
            raise BadPosition(f"a position is a JSON object, not {type(data).__name__}")
        if data.get("game", self.info.key) != self.info.key:
            raise BadPosition(f"game: {data['game']!r} is not {self.info.key!r}")
        try:
            options = self.info.check_options(data.get("options", {}))
        except (EngineError, TypeError, ValueError) as error:
            raise BadPosition(f"options: {error}") from error
        return self._load(data, options)

    @abstractmethod
    def _start(self, seats: int, options: dict[str, Any]) -> State:
        """Return the first position; seats and options are checked and complete."""

    @abstractmethod
    def _load(self, data: dict[str, Any], options: dict[str, Any]) -> State:
        """Return the position of `data`; game and options are checked already."""

    def drawing(self) -> Drawing:
        """Return what draws positions; without a drawing of its own, they are shown as data."""
        from pentathlon_engines.drawing import plain

        return plain

    def evaluation(self) -> Evaluation | None:
        """Return a rule of thumb for positions, or None if the game has none."""
        return None

    def policies(self) -> dict[str, Policy]:
        """Return simple policies of this game by name, for simulations."""
        return {}

    def encoder(self) -> Encoder:
        """Return what turns observations into numbers; without one of its own, they are hashed."""
        from pentathlon_engines.encoding import hashing

        return hashing.features

    def glyphs(self) -> tuple[str, ...]:
        """Return the names of three glyphs that stand for the game, the platform's mark else."""
        return ("logo",)

    def __repr__(self) -> str:
        return f"GAMES[{self.info.key!r}]"


@mypyc_attr(allow_interpreted_subclasses=True)
class State(ABC):
    """One position of a match, mutable and cheap to `copy()`; there is no undo.

    An action is a small int, good for search and learning, with exactly one text, which is what
    bots, records and pages see.
    """

    __slots__ = ("options", "outcome", "seats", "to_move")

    options: dict[str, Any]
    outcome: Outcome | None
    seats: int
    to_move: int | None
    """The seat that decides, `CHANCE`, or None when the match is over."""

    @property
    @abstractmethod
    def game(self) -> Game:
        """The game this is a position of."""

    @abstractmethod
    def legal_actions(self) -> list[int]:
        """Return what the seat to move may do, in the order of the rules; else an empty list."""

    @abstractmethod
    def text(self, action: int) -> str:
        """Return the one text of an action."""

    @abstractmethod
    def parse(self, text: str) -> int:
        """Return the action with this text, legal here or not; raise `BadAction` if none has."""

    @abstractmethod
    def apply_unchecked(self, action: int) -> None:
        """Do an action without looking whether it is legal: for search loops only."""

    @abstractmethod
    def copy(self) -> State:
        """Return an independent twin of this state."""

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """Return the whole position, hidden parts included, for `Game.load`."""

    @abstractmethod
    def observation(self, seat: int | None) -> dict[str, Any]:
        """Return exactly what a seat may know, or a spectator (None).

        A seat finds its number in `you`; the seat to move also the texts it may choose from in
        `legal`.
        """

    @abstractmethod
    def event_for(self, seat: int | None, text: str) -> str:
        """Return an action or chance text, about to be applied here, as the seat may see it."""

    @abstractmethod
    def determinize(self, seat: int, rng: Random) -> State:
        """Return a state that agrees with all the seat knows, hidden parts drawn anew."""

    def is_legal(self, action: int) -> bool:
        """Say whether the seat to move may do this now."""
        return action in self.legal_actions()

    def apply(self, action: int) -> None:
        """Do an action of the seat to move, or raise and change nothing."""
        seat = self.to_move
        if seat is None or seat == CHANCE:
            decides = "the match is over" if seat is None else "chance decides now"
            raise NotToMove(f"no seat may act: {decides}")
        if not self.is_legal(action):
            raise IllegalAction(self._name(action), seat=seat, position=str(self.to_json()))
        self.apply_unchecked(action)

    def sample_chance(self, rng: Random) -> str:
        """Draw what chance decides now, as a text that carries all of it."""
        raise self._no_chance()

    def apply_chance(self, text: str) -> None:
        """Do what chance decided; raise `BadChance` if it cannot happen here."""
        raise self._no_chance()

    def chance_outcomes(self) -> list[tuple[str, int]]:
        """Return all that chance may decide now with exact weights; empty if too many to list."""
        raise self._no_chance()

    def random_action(self, rng: Random) -> int:
        """Draw one of the legal actions, each with the same chance."""
        if self.to_move is None or self.to_move == CHANCE:
            raise NotToMove("no seat may act here")
        return self._draw_action(rng.random)

    def _draw_action(self, draw: Draw) -> int:
        """Draw one of the legal actions; a seat is to move. Games do it without listing them.

        `draw` is the method `random` of a generator, looked up once for many numbers: compiled,
        the look-up costs as much as the number.
        """
        actions = self.legal_actions()
        return actions[int(draw() * len(actions))]

    def playout(self, rng: Random) -> Outcome:
        """Play this very state to its end at random and return the outcome."""
        draw = rng.random
        while self.outcome is None:
            seat = self.to_move
            if seat is not None and seat != CHANCE:  # compiled, None apart saves a slow comparison
                self.apply_unchecked(self._draw_action(draw))
            else:
                self.apply_chance(self.sample_chance(rng))
        return self.outcome

    def svg(self, seat: int | None = None) -> str:
        """Draw the position as standalone SVG, as the seat or a spectator may see it."""
        return self.game.drawing().svg(self, seat)

    def _repr_svg_(self) -> str:
        return self.svg()

    def __str__(self) -> str:
        return self.game.drawing().text(self)

    def __repr__(self) -> str:
        return f"<{self.game.info.key} {self.to_json()}>"

    def _seen_by(self, data: dict[str, Any], seat: int | None) -> dict[str, Any]:
        """Add to an observation what only concerns the seat that looks."""
        if seat is None:
            return data
        if not 0 <= seat < self.seats:
            raise IndexError(f"seat {seat!r} does not exist: there are {self.seats}")
        data["you"] = seat
        if seat == self.to_move:
            data["legal"] = [self.text(action) for action in self.legal_actions()]
        return data

    def _name(self, action: int) -> str:
        try:
            return self.text(action)
        except IndexError:
            return f"action {action}"

    def _check_chance(self) -> None:
        """Refuse a chance text, or a draw, while a seat decides or the match is over."""
        if self.to_move != CHANCE:
            raise self._no_chance()

    def _no_chance(self) -> NotToMove:
        return NotToMove(f"chance decides nothing here, seat to move: {self.to_move}")
