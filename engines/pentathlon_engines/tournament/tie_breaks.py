"""Orders a table by what organisers choose, the most important first.

All but `fit` follow from who scored how much against whom; a point is one opponent left behind,
half a point one level. Players with equal values share a place, never ordered by who entered
first.

Buchholz, Sonneborn–Berger and head-to-head follow FIDE's Play-Off and Tie-Break Regulations
(Handbook C.07), approved by the FIDE Council on 2 February 2026. Where rounds are paired by
results (`Results.rounds`), unplayed rounds count by their article 16; a round is a block, so a
draw is one point of two. In all other formats pairings are known from the start, so forfeits
count like matches (article 15).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import groupby
from typing import Final, NamedTuple

Group = tuple[int, ...]
"""Players that share a place so far."""
Counts = tuple[int, int, int]
"""Wins, draws and losses."""
Versus = Mapping[int, Mapping[int, Counts]]
"""For each player: wins, draws and losses by opponent."""
Values = Mapping[int, float | None]
"""The value of each player of a group; None for those whom a tie-break cannot tell apart."""

BYE: Final = 2
"""The points of a bye, and its wins: those of a won block, which has two matches."""
_DRAWN: Final = BYE / 2
"""The points of a round that counts as drawn."""
_DIGITS: Final = 6
"""Strengths are compared with this many digits: the last ones depend on the order of sums."""


class RoundResult(NamedTuple):
    """What one round was for one player, where rounds are paired by results."""

    opponent: int | None
    """The opponent, met or scheduled; None for a bye and for a round without the player."""
    points: float
    is_played: bool
    """Whether at least one match of the block was played."""
    is_voluntary: bool = False
    """Whether it is a voluntary unplayed round of the player (article 16.1.2): it had left."""

    @property
    def is_absence(self) -> bool:
        """Whether the player was not paired because it had left (article 16.1.1)."""
        return self.is_voluntary and self.opponent is None


@dataclass(frozen=True, kw_only=True)
class Results:
    """The input of tie-breaks, by player."""

    wins: Mapping[int, int]
    """Matches won alone, forfeits included."""
    against: Versus
    """For each player: wins, draws and losses by opponent, forfeits included."""
    fit: Mapping[int, float]
    """The strength by all results; higher is better."""
    byes: Mapping[int, int] = field(default_factory=dict)
    """Rounds without a block that count as won blocks."""
    rounds: Mapping[int, Sequence[RoundResult]] = field(default_factory=dict)
    """Every round so far, where rounds are paired by results; otherwise empty."""

    def points(self, player: int) -> float:
        """Return all points of a player, those of byes and forfeits too."""
        return self._points.get(player, 0.0)

    def matches(self, player: int) -> int:
        """Return the number of results against others, those of forfeits too."""
        return sum(map(sum, self.against.get(player, {}).values()))

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

    def adjusted(self, player: int) -> float:
        """Return a player's points as they count for the tie-breaks of its opponents.

        Rounds that it misses at the end because it has left count as draws, all others as what
        they gave (article 16.3).
        """
        return self._adjusted.get(player, 0.0)

    def worth(self, player: int, each: RoundResult) -> float:
        """Return the score that a round brings into a player's own tie-breaks.

        A played round brings the opponent's adjusted score. An unplayed one brings that of a
        dummy, which has the player's own points, but not more than the opponent that was
        scheduled (article 16.4.1) or than a draw in every round gives (16.4.2).
        """
        if each.is_played and each.opponent is not None:
            return self.adjusted(each.opponent)
        if each.opponent is not None:
            return min(self.points(player), self.adjusted(each.opponent))
        return min(self.points(player), _DRAWN * len(self.rounds[player]))

    @cached_property
    def _points(self) -> dict[int, float]:
        played = {
            player: sum(won + drawn / 2 for won, drawn, _ in met.values())
            for player, met in self.against.items()
        }
        with_byes = {
            player: played.get(player, 0.0) + BYE * self.byes_of(player)
            for player in {*played, *self.byes}
        }
        by_round = {
            player: sum(each.points for each in rounds) for player, rounds in self.rounds.items()
        }
        return {**with_byes, **by_round}

    @cached_property
    def _adjusted(self) -> dict[int, float]:
        return {player: _adjusted_score(rounds) for player, rounds in self.rounds.items()}


def _adjusted_score(rounds: Sequence[RoundResult]) -> float:
    score, is_end = 0.0, True
    for each in reversed(rounds):
        is_end = is_end and each.is_voluntary
        score += _DRAWN if is_end and each.is_absence else each.points
    return score


def _points(results: Results, group: Group) -> Values:
    return {player: results.points(player) for player in group}


def _points_per_match(results: Results, group: Group) -> Values:
    def share(player: int) -> float:
        matches = results.matches(player) + BYE * results.byes_of(player)
        return float(Fraction(results.points(player)) / matches) if matches else 0.0

    return {player: share(player) for player in group}


def _wins(results: Results, group: Group) -> Values:
    return {
        player: results.wins.get(player, 0) + BYE * results.byes_of(player) for player in group
    }


def _sonneborn_berger(results: Results, group: Group) -> Values:
    """Each opponent's score times the points against it (article 9.1)."""

    def value(player: int) -> float:
        if player in results.rounds:
            rounds = results.rounds[player]
            return sum(each.points * results.worth(player, each) for each in rounds)
        met = results.opponents(player)
        return sum(results.scored(player, each) * results.points(each) for each in met)

    return {player: value(player) for player in group}


def _buchholz_cut_1(results: Results, group: Group) -> Values:
    """The sum of the opponents' scores without the least (articles 8.1 and 14.1).

    A voluntary unplayed round is left out before any other one (article 16.5).
    """

    def value(player: int) -> float:
        if player in results.rounds:
            worth = sorted(
                (not each.is_voluntary, results.worth(player, each))
                for each in results.rounds[player]
            )
            return sum(score for _, score in worth[1:])
        return sum(sorted(results.points(each) for each in results.opponents(player))[1:])

    return {player: value(player) for player in group}


def _head_to_head(results: Results, group: Group) -> Values:
    """The points among each other (article 6).

    If all of a group have met, the mean points a match against each other decide. If not, a player
    goes first only if it stays first whatever the missing matches bring; then the next one among
    the others likewise; the rest cannot be told apart.
    """
    if len(group) == 1:
        return dict.fromkeys(group)
    met = {
        (one, other): scored
        for one in group
        for other in group
        if one != other and (scored := _scored_against(results, one, other))[1]
    }
    counts = {count for _, count in met.values()}
    scale = counts.pop() if len(counts) == 1 else 0
    own: dict[int, Fraction] = {}
    for one in group:
        mine = [met[one, other] for other in group if (one, other) in met]
        if scale:  # for speed: one division instead of many
            own[one] = Fraction(sum(half for half, _ in mine), 2 * scale)
        else:
            own[one] = sum((Fraction(half, 2 * count) for half, count in mine), Fraction(0))
    scores: Mapping[int, Fraction | None] = own
    if len(met) < len(group) * (len(group) - 1):
        scores = _sure_scores(group, own, met)
    return {
        player: None if score is None else float(score * (scale or 1))
        for player, score in scores.items()
    }


def _sure_scores(
    group: Group, own: Mapping[int, Fraction], met: Mapping[tuple[int, int], object]
) -> Mapping[int, Fraction | None]:
    """Return the scores of those who are ahead whatever the missing matches bring, else None."""
    most = {
        one: own[one] + sum(one != other and (one, other) not in met for other in group)
        for one in group
    }
    sure: dict[int, Fraction | None] = dict.fromkeys(group)
    rest = sorted(group, key=own.__getitem__, reverse=True)
    while len(rest) > 1 and all(own[rest[0]] > most[other] for other in rest[1:]):
        first = rest.pop(0)
        sure[first] = own[first]
    if len(rest) == 1:
        sure[rest[0]] = own[rest[0]]
    return sure


def _scored_against(results: Results, one: int, other: int) -> tuple[int, int]:
    """Return the half points of one against another, and of how many matches.

    Where rounds are paired by results, a block without any match is no meeting.
    """
    if one in results.rounds:
        blocks = [
            each.points
            for each in results.rounds[one]
            if each.opponent == other and each.is_played
        ]
        return round(2 * sum(blocks)), BYE * len(blocks)
    won, drawn, lost = results.against.get(one, {}).get(other, (0, 0, 0))
    return 2 * won + drawn, won + drawn + lost


def _fit(results: Results, group: Group) -> Values:
    return {player: round(results.fit.get(player, 0.0), _DIGITS) for player in group}


TIE_BREAKS: Final[Mapping[str, Callable[[Results, Group], Values]]] = {
    "points": _points,
    "points_per_match": _points_per_match,
    "wins": _wins,
    "sonneborn_berger": _sonneborn_berger,
    "buchholz_cut_1": _buchholz_cut_1,
    "head_to_head": _head_to_head,
    "fit": _fit,
}
"""The tie-breaks by the names that documents use."""

TITLES: Final[Mapping[str, str]] = {
    "points": "Points",
    "points_per_match": "Points per match",
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
        ordered = [part for group in ordered for part in _divide(results, group, name)]
    return ordered


def order_entries(
    numbers: Sequence[int],
    *,
    places: Sequence[Sequence[int]] | None,
    by: Sequence[str],
    results: Results,
) -> list[Group]:
    """Return entries by place; those of one group share it, in the order that was given.

    Where the format decides places, these go first. Without places and tie-breaks, strength
    decides.
    """
    by = by or (() if places else ("fit",))
    return order(group_by_places(numbers, places), by=by, results=results)


def group_by_places(numbers: Sequence[int], places: Sequence[Sequence[int]] | None) -> list[Group]:
    """Return entries as the format has placed them, before any tie-break; the others come last."""
    placed: list[Group] = [
        tuple(number for number in numbers if number in place) for place in places or ()
    ]
    named = {number for group in placed for number in group}
    rest = tuple(number for number in numbers if number not in named)
    return [group for group in (*placed, rest) if group]


def values_of(
    groups: Iterable[Sequence[int]], *, by: Sequence[str], results: Results
) -> dict[int, dict[str, float | None]]:
    """Return the value of each tie-break for each player.

    Head-to-head counts players who are level in all tie-breaks before; a value that tells nobody
    apart is None.
    """
    level = [tuple(group) for group in groups]
    values: dict[int, dict[str, float | None]] = {
        player: {} for group in level for player in group
    }
    for name in by:
        for group in level:
            for player, value in TIE_BREAKS[name](results, group).items():
                values[player][name] = value
        level = [part for group in level for part in _divide(results, group, name)]
    return values


def _divide(results: Results, group: Group, name: str) -> list[Group]:
    """Return the parts of a group that a tie-break tells apart, best first."""
    values = TIE_BREAKS[name](results, group)
    # Those without a value come last, together.
    keys = {player: (value is not None, value or 0.0) for player, value in values.items()}
    ordered = sorted(group, key=keys.__getitem__, reverse=True)
    parts = [tuple(part) for _, part in groupby(ordered, key=keys.__getitem__)]
    if name != "head_to_head" or len(parts) == 1:
        return parts
    # Those who are still level are compared once more, among themselves (article 6).
    return [again for part in parts for again in _divide(results, part, name)]
