"""Orders a table by what organisers choose, the most important first.

All but `fit` follow from who scored how much against whom; a point is one opponent left behind,
half a point one level.

A bye counts as a won block: two points, and two wins. In Buchholz and Sonneborn–Berger it is one
more opponent, beaten in both matches, that ends with as many points as the bot itself: so FIDE's
rules for tie-breaks have it (the "dummy" of an unplayed round). Strength and head-to-head know
nothing of byes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

Group = tuple[int, ...]
"""Players that share a place so far."""

BYE: Final = 2
"""The points of a bye, and its wins: those of a won block, which has two matches."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """The input of tie-breaks, by player."""

    wins: Mapping[int, int]
    """Matches won alone."""
    against: Mapping[int, Mapping[int, tuple[int, int, int]]]
    """For each player: wins, draws and losses by opponent."""
    fit: Mapping[int, float]
    """The strength by all results; higher is better."""
    byes: Mapping[int, int] = field(default_factory=dict)
    """Rounds without a block that count as won blocks."""

    def points(self, player: int) -> float:
        """Return all points of a player, those of byes too."""
        played = sum(self.scored(player, each) for each in self.opponents(player))
        return played + BYE * self.byes_of(player)

    def byes_of(self, player: int) -> int:
        """Return how many byes of a player count."""
        return self.byes.get(player, 0)

    def scored(self, player: int, opponent: int) -> float:
        """Return the points of one player against another."""
        won, drawn, _ = self.against.get(player, {}).get(opponent, (0, 0, 0))
        return won + drawn / 2

    def opponents(self, player: int) -> list[int]:
        """Return the players whom a player has met."""
        met = self.against.get(player, {})
        return [opponent for opponent, counts in met.items() if any(counts)]


def _points(results: Results, player: int, _level: Group) -> float:
    return results.points(player)


def _wins(results: Results, player: int, _level: Group) -> float:
    return results.wins.get(player, 0) + BYE * results.byes_of(player)


def _sonneborn_berger(results: Results, player: int, _level: Group) -> float:
    played = sum(
        results.scored(player, each) * results.points(each) for each in results.opponents(player)
    )
    return played + BYE * results.byes_of(player) * results.points(player)


def _buchholz_cut_1(results: Results, player: int, _level: Group) -> float:
    met = [results.points(each) for each in results.opponents(player)]
    met += [results.points(player)] * results.byes_of(player)
    return sum(sorted(met)[1:])


def _head_to_head(results: Results, player: int, level: Group) -> float:
    return sum(results.scored(player, each) for each in level if each != player)


def _fit(results: Results, player: int, _level: Group) -> float:
    return results.fit.get(player, 0.0)


TIE_BREAKS: Final[Mapping[str, Callable[[Results, int, Group], float]]] = {
    "points": _points,
    "wins": _wins,
    "sonneborn_berger": _sonneborn_berger,
    "buchholz_cut_1": _buchholz_cut_1,
    "head_to_head": _head_to_head,
    "fit": _fit,
}
"""The tie-breaks by the names that documents use."""

TITLES: Final[Mapping[str, str]] = {
    "points": "Points",
    "wins": "Wins",
    "sonneborn_berger": "Sonneborn–Berger",
    "buchholz_cut_1": "Buchholz, lowest left out",
    "head_to_head": "Among each other",
    "fit": "Strength",
}


def order(groups: Iterable[Sequence[int]], *, by: Sequence[str], results: Results) -> list[Group]:
    """Divide groups that share a place by each tie-break in turn; best first.

    Players who are still level after the last one share the place, in the order that was given.

    >>> results = Results(wins={1: 1}, against={1: {2: (1, 0, 0)}, 2: {1: (0, 0, 1)}}, fit={})
    >>> order([(2, 1)], by=["points"], results=results)
    [(1,), (2,)]
    """
    ordered = [tuple(group) for group in groups]
    for name in by:
        value = TIE_BREAKS[name]
        divided: list[Group] = []
        for group in ordered:
            values = {player: value(results, player, group) for player in group}
            divided += [
                tuple(player for player in group if values[player] == each)
                for each in sorted(set(values.values()), reverse=True)
            ]
        ordered = divided
    return ordered


def order_entries(
    numbers: Sequence[int],
    *,
    places: Sequence[Sequence[int]] | None,
    by: Sequence[str],
    results: Results,
) -> list[Group]:
    """Return entries by place; they come in the order of their strength.

    Where the format decides places, these go first. Without places and tie-breaks, strength
    decides alone, and nobody shares a place.
    """
    placed: list[Group] = [
        tuple(number for number in numbers if number in place) for place in places or ()
    ]
    named = {number for group in placed for number in group}
    rest = tuple(number for number in numbers if number not in named)
    groups = [group for group in (*placed, rest) if group]
    if by:
        return order(groups, by=by, results=results)
    if places is None:
        return [(number,) for number in numbers]
    return groups


def values_of(
    player: int, *, by: Sequence[str], results: Results, players: Sequence[int]
) -> dict[str, float]:
    """Return the value of each tie-break for a player; head-to-head counts level players only.

    Players are level if they have the same values in all tie-breaks before.
    """
    values: dict[str, float] = {}
    level: Group = tuple(players)
    for name in by:
        value = TIE_BREAKS[name]
        values[name] = value(results, player, level)
        level = tuple(each for each in level if value(results, each, level) == values[name])
    return values
