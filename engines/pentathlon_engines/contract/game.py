"""The contract of every game: a `Game` starts or loads a `State`, and actions change the state.

At each point of a match a seat decides, or chance (`CHANCE`), or nobody because it is over. Rules
never create random numbers; the caller passes a generator:

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

from pentathlon_engines.contract.compiler import mypyc_attr
from pentathlon_engines.contract.info import GameInfo, Option, Outcome
from pentathlon_engines.errors import BadAction, BadPosition, EngineError, IllegalAction, NotToMove
from pentathlon_engines.light_json import read_data

TYPE_CHECKING = False  # bots must not wait for `typing`
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from random import Random
    from typing import Any, Final

    from pentathlon_engines.contract.presentation import Commentary, Drawing, Encoder

    Evaluation = Callable[[Any, int], float]
    """Rates a position for a seat; a higher number is better."""
    Prospects = Callable[[Any], list[float]]
    """Estimates for each seat what share of the other seats it will be ahead of, from 0 to 1."""
    Policy = Callable[["State", list[int], Random], int]
    """Chooses one of the legal actions."""

    Draw = Callable[[], float]
    """Returns random numbers from 0 up to, but not including, 1."""

__all__ = ["CHANCE", "Game", "GameInfo", "Option", "Outcome", "State"]

CHANCE: Final = -1


@mypyc_attr(allow_interpreted_subclasses=True)
class Game(ABC):
    """One game with its rules. There is one object per game, in `GAMES`.

    Hooks provide features that playing does not need: `drawing`, `commentary`, `lesson`,
    `examples`, `evaluation`, `prospects`, `policies`, `playout_policy`, `position_key`, `encoder`
    and `touches`. Each has a default. `rooms` names the modules and data files of the
    game's package that take its place; they are imported when a hook is called: start-up is most
    of a short match, so bots must import only what they use.
    """

    __slots__ = ("_package", "info", "rooms")

    def __init__(self, info: GameInfo, *, rooms: str = "") -> None:
        self.info = info
        self.rooms = rooms.split()
        self._package = type(self).__module__.rpartition(".")[0]

    def start(self, seats: object = None, options: Mapping[str, Any] | None = None) -> State:
        """Return the first position of a match; missing seats and options take their defaults.

        Raise `BadSeats` or `BadOption` for values that the game does not allow.
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
        """Return the first position; the caller has checked and completed seats and options."""

    @abstractmethod
    def _load(self, data: dict[str, Any], options: dict[str, Any]) -> State:
        """Return the position of `data`; the caller has checked game and options."""

    def drawing(self) -> Drawing:
        """Return the module that draws positions; the default prints observations as text."""
        drawing: Drawing = self._room("drawing") or _plain()
        return drawing

    def commentary(self) -> Commentary:
        """Return the module that tells events in words; the default gives their texts."""
        commentary: Commentary = self._room("commentary") or _plain()
        return commentary

    def lesson(self) -> list[dict[str, Any]]:
        """Return the steps that `lesson.py` reads; by default there are none."""
        return self._data("lesson")["steps"] if "lesson" in self.rooms else []

    def examples(self) -> list[dict[str, Any]]:
        """Return the worked examples of the rules, each with `id`, `about` and a `position`."""
        return self._data("examples") if "examples" in self.rooms else []

    def position_key(self, state: State) -> str | None:
        """Return a short name shared by exactly those positions that are the same to everybody.

        The name does not depend on the way to a position, and is the same for symmetrical ones. It
        is None in games with hidden parts, because what everybody sees of these is no position.
        """
        keys = self._room("keys")
        name: str | None = keys.position_key(state.observation(None)) if keys else None
        return name

    def evaluation(self) -> Evaluation | None:
        """Return a function that rates positions by a rule of thumb, or None."""
        evaluation = self._room("evaluation")
        return evaluation.worth if evaluation else None

    def prospects(self, seats: int) -> Prospects | None:
        """Return a function that estimates results better than the evaluation, or None."""
        return None

    def policies(self) -> dict[str, Policy]:
        """Return simple policies of this game by name, for simulations."""
        policies = self._room("policies")
        return policies.POLICIES if policies else {}

    def playout_policy(self) -> Policy | None:
        """Return a fast policy for playouts, or None if the game has none."""
        return None

    def encoder(self) -> Encoder:
        """Return the module that turns positions into numbers; the default hashes observations."""
        from pentathlon_engines.encoding import hashes

        encoder: Encoder = self._room("encoding") or hashes
        return encoder

    def touches(self, state: State, action: int) -> list[str]:
        """Return the cells and cards that a legal action names, as the drawing marks them.

        They are in the order in which a person points at them. The default takes the words of the
        action's text after the first one. Names that the drawing does not mark can be left out.
        """
        touches = self._room("touches")
        names: list[str] = (
            touches.touches(state, action) if touches else state.text(action).split()[1:]
        )
        return names

    def _room(self, name: str) -> Any:
        """Return a module of the game, or None if it has no such room."""
        if name not in self.rooms:
            return None
        return __import__(f"{self._package}.{name}", fromlist=[name])

    def _data(self, name: str) -> Any:
        package = __import__(self._package, fromlist=["GAME"])
        return read_data(str(package.__file__), f"{name}.json")

    def __reduce__(self) -> str:
        """Let `pickle` keep the name of this object in the game's module."""
        return "GAME"

    def __repr__(self) -> str:
        return f"GAMES[{self.info.key!r}]"


def _plain() -> Any:
    from pentathlon_engines.contract import plain

    return plain


@mypyc_attr(allow_interpreted_subclasses=True)
class State(ABC):
    """One position of a match, mutable and cheap to `copy()`; there is no undo.

    An action is a small int, which suits search and learning. Each has exactly one text, which
    bots, records and pages use.
    """

    __slots__ = ("options", "outcome", "seats", "to_move")

    options: dict[str, Any]
    outcome: Outcome | None
    seats: int
    to_move: int | None
    """The seat that decides, or `CHANCE`, or None when the match is over."""

    @property
    @abstractmethod
    def game(self) -> Game:
        """The game that this position belongs to."""

    @abstractmethod
    def legal_actions(self) -> list[int]:
        """Return the actions of the seat to move in the order of the rules; else an empty list."""

    @abstractmethod
    def text(self, action: int) -> str:
        """Return the one text of an action."""

    @abstractmethod
    def parse(self, text: str) -> int:
        """Return the action with this text, legal here or not; raise `BadAction` if none has."""

    @abstractmethod
    def apply_unchecked(self, action: int) -> None:
        """Do an action without checking that it is legal; only for search loops."""

    @abstractmethod
    def copy(self) -> State:
        """Return an independent copy of this state."""

    def __copy__(self) -> State:
        """Return what `copy` returns: `copy.copy` would share the parts of a state."""
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> State:
        """Return what `copy` returns."""
        return self.copy()

    def __eq__(self, other: object) -> bool:
        """Return whether both are one position of a game, hidden parts included."""
        if not isinstance(other, State):
            return NotImplemented
        return self.to_json() == other.to_json()

    def __hash__(self) -> int:
        """Return the hash of this position; do not change one that a set or dictionary holds."""
        from json import dumps

        return hash(dumps(self.to_json(), sort_keys=True))

    def __reduce__(self) -> tuple[Any, ...]:
        """Let `pickle` keep the JSON, which compiled and plain engines read alike."""
        return Game.load, (self.game, self.to_json())

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """Return the whole position, hidden parts included, for `Game.load`."""

    @abstractmethod
    def observation(self, seat: int | None) -> dict[str, Any]:
        """Return exactly what a seat, or a spectator (None), may know.

        A seat finds its own number in `you`. The seat to move also finds the texts of its legal
        actions in `legal`.
        """

    def features(self, seat: int) -> list[float]:
        """Return what a seat sees as numbers from -1 to 1, always in the same order."""
        from array import array

        pieces: list[bytes] = []
        self.game.encoder().encode(self, seat, pieces)
        return array("f", b"".join(pieces)).tolist()

    @abstractmethod
    def event_for(self, seat: int | None, text: str) -> str:
        """Return the text of an event as the seat may see it; call this before it happens."""

    @abstractmethod
    def determinize(self, seat: int, rng: Random) -> State:
        """Return a state that agrees with all that the seat knows, its hidden parts drawn anew."""

    def is_legal(self, action: int) -> bool:
        """Return whether the seat to move may do this now."""
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
        """Draw what chance decides now; the text describes it completely."""
        raise self._no_chance()

    def apply_chance(self, text: str) -> None:
        """Do what chance decided; raise `BadChance` if it cannot happen here."""
        raise self._no_chance()

    def chance_outcomes(self) -> list[tuple[str, int]]:
        """Return all possible chance texts with exact weights; empty if they are too many."""
        raise self._no_chance()

    def random_action(self, rng: Random) -> int:
        """Draw one of the legal actions with equal probability."""
        if self.to_move is None or self.to_move == CHANCE:
            raise NotToMove("no seat may act here")
        return self._draw_action(rng.random)

    def _draw_action(self, draw: Draw) -> int:
        """Draw one of the legal actions of the seat to move; games override this to avoid a list.

        `draw` is the bound method `random` of a generator. Compiled code looks it up once for many
        numbers, because the look-up costs as much as a number.
        """
        actions = self.legal_actions()
        return actions[int(draw() * len(actions))]

    def playout(self, rng: Random) -> Outcome:
        """Play this state itself to its end at random and return the outcome."""
        draw = rng.random
        while self.outcome is None:
            seat = self.to_move
            if seat is not None and seat != CHANCE:  # compiled, testing None apart is faster
                self.apply_unchecked(self._draw_action(draw))
            else:
                self.apply_chance(self.sample_chance(rng))
        return self.outcome

    def svg(self, seat: int | None = None, *, ply: int | None = None) -> str:
        """Draw the position as standalone SVG, as the seat or a spectator may see it.

        A state does not count chance events, so a caller who knows its `ply` in a match passes it
        for the title.
        """
        drawn = self.game.drawing().svg(self, seat)
        if ply is None:
            return drawn
        head, rest = drawn.split("<title>", 1)
        body = rest.split("</title>", 1)[1]
        return f"{head}<title>{self.game.info.title}, ply {ply}</title>{body}"

    def _repr_svg_(self) -> str:
        return self.svg()

    def __str__(self) -> str:
        return self.game.drawing().text(self)

    def __repr__(self) -> str:
        return f"<{self.game.info.key} {self.to_json()}>"

    def _seen_by(self, data: dict[str, Any], seat: int | None) -> dict[str, Any]:
        """Add `you` and `legal` to the observation of a seat."""
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
        """Raise `NotToMove` unless chance decides now."""
        if self.to_move != CHANCE:
            raise self._no_chance()

    def _no_chance(self) -> NotToMove:
        return NotToMove(f"chance decides nothing here, seat to move: {self.to_move}")


def text_of(action: int, texts: Sequence[str], *, title: str) -> str:
    """Return the text of an action; raise `IndexError` if the game has no such action."""
    if not 0 <= action < len(texts):
        raise IndexError(f"action {action} does not exist: {title} has 0 to {len(texts) - 1}")
    return texts[action]


def action_of(text: str, actions: Mapping[str, int], *, grammar: str) -> int:
    """Return the action with this text; raise `BadAction` if none has."""
    action = actions.get(text)
    if action is None:
        raise BadAction(text, reason=f"write {grammar}")
    return action
