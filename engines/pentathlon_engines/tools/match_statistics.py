"""Simulate matches, and measure figures of a game with their sampling errors."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import Any, cast

from pentathlon_engines.contract.game import CHANCE, Game, Outcome, State
from pentathlon_engines.lookahead import after, has_won, is_safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pentathlon_engines.contract.game import Policy


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedMatch:
    """A simulated match: its players, its outcome, and the number of legal actions at each ply."""

    players: tuple[str, ...]
    outcome: Outcome
    widths: tuple[int, ...]
    kinds: tuple[str, ...] = ()
    """The first word of each action."""
    first: int | None = None
    """The seat that took the first action."""
    last: dict[str, Any] = field(default_factory=dict)
    """The last position, as JSON."""

    def values(self, name: str) -> Sequence[float]:
        """Return the values of this match for a figure.

        Figures are "actions", "legal actions", "legal <first word of an action>", "score",
        "winning score", "draw", "seat <n> wins", "<player> wins", "first seat wins", a number of
        the last position by its name, or a reason of the outcome. "<reason> only" is for games
        that can have several reasons; "and" joins reasons that must all hold.
        """
        ranks = self.outcome.ranks
        measures: dict[str, Sequence[float]] = {
            "actions": (len(self.widths),),
            "legal actions": self.widths,
            "score": self.outcome.scores or (),
            "winning score": (max(self.outcome.scores or (0,)),),
            "draw": (sum(ranks) == 0,),
            "first seat wins": (self.first is not None and self._wins_alone(self.first),),
        }
        if name.startswith("legal ") and name != "legal actions":
            kinds = zip(self.widths, self.kinds, strict=True)
            return tuple(width for width, kind in kinds if name == f"legal {kind}")
        for seat, player in enumerate(self.players):
            alone = self._wins_alone(seat)
            measures[f"seat {seat} wins"] = (alone,)
            if alone or f"{player} wins" not in measures:
                measures[f"{player} wins"] = (alone,)
        if type(self.last.get(name)) is int:
            return (self.last[name],)
        return measures.get(name, (self._ended_by(name),))

    def _wins_alone(self, seat: int) -> bool:
        return self.outcome.ranks[seat] == 0 and self.outcome.ranks.count(0) == 1

    def _ended_by(self, name: str) -> bool:
        result = self.last.get("result") or {}
        reasons = result.get("reasons", [self.outcome.reason])
        return name in reasons or name == f"{' and '.join(reasons)} only"


@dataclass(slots=True)
class Figure:
    """The mean of values from many matches: the ratio of two sums over the matches."""

    totals: list[float] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)
    least: float = float("inf")
    most: float = float("-inf")

    def add(self, values: Sequence[float]) -> None:
        """Add the values of one match."""
        self.totals.append(sum(values))
        self.counts.append(len(values))
        self.least = min((self.least, *values))
        self.most = max((self.most, *values))

    @property
    def mean(self) -> float:
        """The mean over all values of all matches."""
        return sum(self.totals) / sum(self.counts)

    @property
    def deviation(self) -> float:
        """The standard error of the mean times the square root of the number of matches."""
        mean, matches = self.mean, len(self.counts)
        residuals = sum(
            (total - mean * count) ** 2
            for total, count in zip(self.totals, self.counts, strict=True)
        )
        return sqrt(residuals / matches) / (sum(self.counts) / matches)

    @property
    def error(self) -> float:
        """The standard error of the mean; it allows for dependent values in one match."""
        return self.deviation / sqrt(len(self.counts))


def simulate(
    game: Game,
    names: Sequence[str],
    *,
    games: int,
    seed: int,
    figures: Sequence[str],
    options: dict[str, Any] | None = None,
) -> dict[str, Figure]:
    """Play matches between policies by name, rotate their seats, and return the figures."""
    measured = {name: Figure() for name in figures}
    for index in range(games):
        turn = index % len(names)
        seated = (*names[turn:], *names[:turn])
        state = game.start(len(names), options)
        match = play(state, seated, random.Random(f"{seed}:{index}"))
        for name, figure in measured.items():
            figure.add(match.values(name))
    return measured


def play(state: State, names: tuple[str, ...], rng: random.Random) -> SimulatedMatch:
    """Play a state to its end between policies by name."""
    widths, kinds, seats, players = [], [], [], policies_of(state.game)
    while state.outcome is None:
        if state.to_move is None or state.to_move == CHANCE:
            state.apply_chance(state.sample_chance(rng))
            continue
        actions = state.legal_actions()
        action = players[names[state.to_move]](state, actions, rng)
        widths.append(len(actions))
        kinds.append(state.text(action).partition(" ")[0])
        seats.append(state.to_move)
        state.apply_unchecked(action)
    return SimulatedMatch(
        players=names,
        outcome=state.outcome,
        widths=tuple(widths),
        kinds=tuple(kinds),
        first=seats[0] if seats else None,
        last=state.to_json(),
    )


def policies_of(game: Game) -> dict[str, Policy]:
    """Return the policies of every game and those of this game."""
    return POLICIES | game.policies()


def play_random(state: State, actions: list[int], rng: random.Random) -> int:
    """Choose any action with equal probability."""
    return actions[int(rng.random() * len(actions))]


def play_careful(state: State, actions: list[int], rng: random.Random) -> int:
    """Win at once if possible, else avoid actions after which somebody else can win at once."""
    winning, safe = [], []
    seat = cast("int", state.to_move)  # policies are asked only where a seat is to move
    for action in actions:
        position = after(state, action)
        if has_won(position, seat):
            winning.append(action)
        elif not winning and is_safe(position, seat):
            safe.append(action)
    return play_random(state, winning or safe or actions, rng)


POLICIES: dict[str, Policy] = {"random": play_random, "careful": play_careful}
