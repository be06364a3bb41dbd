"""Simulate matches, and compare their figures with those on the rules page.

    python -m pentathlon_engines.tools.simulate tuned --games 20000 --seed 1

Each row of the table has the simulated figure with its standard error, the published figure, and
their difference in standard errors. The published figures of a game are in its `figures.json`. The
exit status is 1 if a difference is larger than four errors.
"""

from __future__ import annotations

import argparse
import sys
from math import copysign, inf, sqrt
from typing import Final

import pentathlon_engines
from pentathlon_engines.contract.game import Game
from pentathlon_engines.contract.registry import GAMES
from pentathlon_engines.light_json import read_data
from pentathlon_engines.tools.match_statistics import Figure, simulate

_TOO_FAR: Final = 4.0


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
