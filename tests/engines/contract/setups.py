"""The numbers of seats and the options with which the games are tested."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from math import prod
from typing import Any

from pentathlon_engines import BadOption, Game, Option, State

Place = tuple[int, int]
"""A factor and one of its values, both as indices."""

_MOST_SETUPS = 24
_MOST_VALUES = 6


@dataclass(frozen=True)
class Setup:
    """A game with the number of seats and the options of a match."""

    game: Game
    seats: int
    options: dict[str, Any] = field(default_factory=dict)

    def start(self) -> State:
        return self.game.start(self.seats, self.options)

    def can_start(self) -> bool:
        """Return whether the game has these options for so many seats."""
        try:
            self.start()
        except BadOption:
            return False
        return True

    def __str__(self) -> str:
        chosen = "-".join(f"{name}={value}" for name, value in self.options.items())
        return f"{self.game.info.key}-{self.seats}{chosen and '-' + chosen}"


def setups(game: Game) -> list[Setup]:
    """Return every number of seats with every combination of options.

    Where these are too many, each pair of choices comes together at least once.
    """
    low, high = game.info.seats
    names = [option.name for option in game.info.options]
    factors = [list(range(low, high + 1)), *(_values(option) for option in game.info.options)]
    rows = product(*factors) if prod(map(len, factors)) <= _MOST_SETUPS else all_pairs(factors)
    found = [Setup(game, row[0], dict(zip(names, row[1:], strict=True))) for row in rows]
    return list({str(setup): setup for setup in map(_startable, found)}.values())


def covering(found: Sequence[Setup]) -> list[Setup]:
    """Return few setups of a game in which each number of seats and each value still stands."""
    left = {place for setup in found for place in _stands(setup)}
    few = []
    while left:
        few.append(max(found, key=lambda setup: len(_stands(setup) & left)))
        left -= _stands(few[-1])
    return few


def _stands(setup: Setup) -> set[str]:
    return {f"seats={setup.seats}", *(f"{name}={value}" for name, value in setup.options.items())}


def _startable(setup: Setup) -> Setup:
    """Return a setup with one option at its default if it cannot start with so many seats."""
    if setup.can_start():
        return setup
    defaults = {option.name: option.default for option in setup.game.info.options}
    tries = (
        Setup(setup.game, setup.seats, {**setup.options, name: value})
        for name, value in defaults.items()
    )
    return next(setup for setup in tries if setup.can_start())


def _values(option: Option) -> list[Any]:
    if option.kind == "integer":
        return sorted({*option.choices, option.default})
    if option.kind == "each_seat":
        return _of_each_seat(option)
    values = list(option.choices)
    return values if len(values) <= _MOST_VALUES else [option.default, values[len(values) // 2]]


def _of_each_seat(option: Option) -> list[Any]:
    """Return the default, and lists in which every other choice stands at least once."""
    default = option.usual()
    assert isinstance(default, list)
    others = [choice for choice in option.choices if choice not in default]
    starts = range(0, len(others), len(default))
    others += option.choices[: len(default) - 1]
    return [default, *(others[start : start + len(default)] for start in starts)]


def all_pairs(factors: Sequence[Sequence[Any]]) -> list[tuple[Any, ...]]:
    """Return few rows in which any two values of two factors stand together in some row."""
    places = [
        [(factor, value) for value in range(len(factors[factor]))]
        for factor in range(len(factors))
    ]
    left = {
        frozenset(pair) for one, other in combinations(places, 2) for pair in product(one, other)
    }
    rows = []
    while left:
        row = list(min(left, key=sorted))
        for factor in range(len(factors)):
            if all(factor != chosen for chosen, _ in row):
                row.append(max(places[factor], key=lambda place: _new_pairs(place, row, left)))
        left -= {frozenset(pair) for pair in combinations(row, 2)}
        rows.append(tuple(factors[factor][value] for factor, value in sorted(row)))
    return rows


def _new_pairs(place: Place, row: list[Place], left: set[frozenset[Place]]) -> int:
    return sum(frozenset((place, other)) in left for other in row)
