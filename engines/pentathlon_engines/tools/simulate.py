"""Simulate matches, and compare their figures with those on the rules page.

    python -m pentathlon_engines.tools.simulate tuned --games 20000 --seed 1

Each row of the table has the simulated figure with its standard error, the published figure, and
their difference in standard errors. The published figures of a game are in its `figures.json`. The
exit status is 1 if a difference is larger than four errors.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import copysign, inf, sqrt
from typing import Any, Final, cast

import pentathlon_engines
from pentathlon_engines.contract.game import CHANCE, Game, Outcome, State
from pentathlon_engines.contract.registry import GAMES
from pentathlon_engines.light_json import read_data
from pentathlon_engines.lookahead import after, has_won, is_safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pentathlon_engines.contract.game import Policy

_TOO_FAR: Final = 4.0


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


def compare(game: Game, *, games: int, seed: int) -> tuple[str, bool]:
    """Return the table for a game, and whether its figures agree with the published ones.

    Each set of policies plays at most as many games as for its published figures.
    """
    lines, agree = [], True
    for row in read_data(pentathlon_engines.__file__, f"{game.info.key}/figures.json"):
        played = min(games, row["games"])
        figures = simulate(
            game,
            row["players"],
            games=played,
            seed=seed,
            figures=list(row["figures"]),
            options=row.get("options"),
        )
        chosen = [f"{name} {value}" for name, value in row.get("options", {}).items()]
        names = ", ".join([*row["players"], *chosen])
        lines += ["", f"{game.info.title}: {names}; {played:,} games, published {row['games']:,}"]
        lines.append(f"{'figure':<22} {'here':>24} {'published':>18} {'errors apart':>13}")
        for name, published in row["figures"].items():
            apart = errors_apart(figures[name], published, games=row["games"])
            agree = agree and abs(apart) <= _TOO_FAR
            lines.append(_line(name, figures[name], published, apart))
    return "\n".join([*lines[1:], ""]), agree


def errors_apart(figure: Figure, published: dict[str, float], *, games: int) -> float:
    """Return the difference to a figure from `games` games, in standard errors of both.

    A published mean is rounded, so numbers that round to it do not differ from it.
    """
    deviation = figure.deviation
    if "share" in published:
        share = published["share"]
        deviation = max(deviation, sqrt(share * (1 - share)))
    distance = figure.mean - _value(published)
    distance = copysign(max(0.0, abs(distance) - _rounding(published)), distance)
    error = deviation * sqrt(1 / len(figure.counts) + 1 / games)
    if distance == 0:
        return 0.0
    return distance / error if error else copysign(inf, distance)


def _value(published: dict[str, float]) -> float:
    return published["share"] if "share" in published else published["mean"]


def _rounding(published: dict[str, float]) -> float:
    """Return half of the last digit of a published mean; a whole number counts as exact."""
    digits = str(published.get("mean", 0)).partition(".")[2]
    return 0.5 / 10 ** len(digits) if digits else 0.0


def _line(name: str, figure: Figure, published: dict[str, float], apart: float) -> str:
    if "share" in published:
        here = f"{100 * figure.mean:.1f} ± {100 * figure.error:.1f} %"
        there = f"{100 * published['share']:.1f} %"
    else:
        here = f"{figure.mean:.2f} ± {figure.error:.2f} ({figure.least:g} to {figure.most:g})"
        there = f"{published['mean']:g}{_bounds(published)}"
    return f"{name:<22} {here:>24} {there:>18} {apart:>+13.1f}"


def _bounds(published: dict[str, float]) -> str:
    if "most" not in published:
        return ""
    low = f"{published['least']:g} " if "least" in published else ""
    return f" ({low}to {published['most']:g})"


def main(arguments: list[str] | None = None) -> int:
    """Print the tables of a game; return 1 if a figure is too far from the published one."""
    parser = argparse.ArgumentParser(prog="pentathlon_engines.tools.simulate")
    parser.add_argument("game", choices=list(GAMES))
    parser.add_argument("--games", type=int, default=1000, help="the most for each table")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(arguments)
    table, agree = compare(GAMES[given.game], games=given.games, seed=given.seed)
    sys.stdout.write(table)
    return 0 if agree else 1


if __name__ == "__main__":
    sys.exit(main())
