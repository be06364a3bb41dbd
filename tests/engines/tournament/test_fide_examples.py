"""Tie-breaks against the exercises that FIDE's technical commission has published.

The exercises ("Exercises in Tie-Breaking", a Swiss of 16 and a round robin of 6) are of the rules
of 2023. Where those of March 2026 differ (article 16.4 caps the dummy of an unplayed round), the
table has both values. A round of theirs has one game, and one of ours is a block of two matches:
points count double here, and Sonneborn–Berger four times.
"""

from collections.abc import Mapping, Sequence

import pytest

from pentathlon_engines.tournament.tie_breaks import Counts, Results, RoundResult, order, values_of

SWISS = """
9+ 13= 2= 15+ 4=
10+ 7+ 1= 16+ 3=
11= 6+ 8+ 4= 2=
12+ H 13+ 3= 1=
13- 15- 11+ 7= 10+
14- 3- B 10+ 8+
15+ 2- 16- 5= 11-
16= 14+ 3- 13+ 6-
1- 10- H 11f B
2- 9+ 15- 6- 5-
3= 16- 5- 9F 7+
4- B 14F Z Z
5+ 1= 4- 8- 14-
6+ 8- 12f Z 13+
7- 5+ 10+ 1- 16-
8= 11+ 7+ 2- 15+
"""
"""The results of each player, round by round: opponent, and won, drawn or lost.

F and f are games won and lost by forfeit; B, H and Z are byes that give all, half and no points.
"""
LONGER = """
6= 3= 16= 8+
4= 6- 15= 5=
16+ 1= 14+ 10+
2= 16= 6= 15+
14- 9+ 8- 2=
1= 2+ 4= 16+
10- 13+ 9+ 14+
11= 15= 5+ 1-
13+ 5- 7- 12=
7+ 12+ 11+ 3-
8= 14- 10- 13=
15- 10- 13= 9=
9- 7- 12= 11=
5+ 11+ 3- 7-
12+ 8= 2= 4-
3- 4= 1= 6-
"""
"""Rounds 6 to 9 of the exercise on direct encounters; its round 5 has 2+ and 3- instead."""
ROUND_ROBIN = """
5= 2+ 3+ 4- 6+
6+ 1- 5+ 3= 4+
4+ 6+ 1- 2= 5+
3- 5- 6= 1+ 2-
1= 4+ 2- 6f 3-
2- 3- 4= 5F 1-
"""
POINTS = {"+": 2.0, "=": 1.0, "-": 0.0, "F": 2.0, "f": 0.0, "B": 2.0, "H": 1.0, "Z": 0.0}


def _rounds(table: str) -> dict[int, list[RoundResult]]:
    return {
        number: [_round(each) for each in line.split()]
        for number, line in enumerate(table.split("\n")[1:-1], start=1)
    }


def _round(told: str) -> RoundResult:
    kind, opponent = told[-1], int(told[:-1] or 0) or None
    return RoundResult(opponent, POINTS[kind], kind in "+=-", is_voluntary=kind in "fHZ")


def _results(rounds: Mapping[int, Sequence[RoundResult]]) -> Results:
    wins = {player: 2 * sum(each.points == 2 for each in own) for player, own in rounds.items()}
    return Results(wins=wins, against={}, fit={}, rounds=rounds)


def _values(results: Results, name: str, players: Sequence[int]) -> list[float | None]:
    values = values_of([players], by=[name], results=results)
    return [values[player][name] for player in players]


@pytest.fixture
def swiss() -> Results:
    return _results(_rounds(SWISS))


PLAYERS = [2, 1, 3, 4, 16, 6, 5, 8, 11, 12, 14, 15, 7, 9, 13, 10]
"""In the order of the exercise."""


def test_points_of_the_swiss_are_those_published(swiss: Results) -> None:
    points = [4, 3.5, 3.5, 3.5, 3.5, 3, 2.5, 2.5, 2.5, 2, 2, 2, 1.5, 1.5, 1.5, 1]

    assert _values(swiss, "points", PLAYERS) == [2 * each for each in points]


def test_adjusted_scores_count_the_byes_of_the_end_as_draws(swiss: Results) -> None:
    """12 was away in the last two rounds; 14 came back, so its bye stays worth nothing."""
    assert swiss.adjusted(12) == 2 * 3.0
    assert swiss.adjusted(14) == 2 * 2.0
    assert swiss.adjusted(4) == 2 * 3.5


def test_absence_before_a_forfeit_at_the_end_counts_as_a_draw() -> None:
    """Both are voluntary, so nothing that was played comes after it (article 16.3.2)."""
    table = "\n2+ Z 2f\n1- B 1F\n"

    assert _results(_rounds(table)).adjusted(1) == 2 + 1 + 0


def test_buchholz_without_the_lowest_is_that_published(swiss: Results) -> None:
    published = {5: 7.5, 8: 12.0, 7: 12.5, 9: 7.5, 13: 12.0, 1: 11.0, 3: 13.0, 16: 11.0}
    published |= {4: 11.5, 12: 9.5, 14: 9.0, 15: 11.0}
    since_2026 = {11: 11.0}  # 12.0 before: its forfeit win against 9 counts 1.5, not 2.5

    expected = published | since_2026

    assert _values(swiss, "buchholz_cut_1", list(expected)) == [
        2 * each for each in expected.values()
    ]


def test_sonneborn_berger_of_the_swiss_is_that_published(swiss: Results) -> None:
    published = {2: 9.5, 3: 10.5, 1: 8.0, 16: 7.25, 8: 5.25, 5: 4.25, 14: 4.5, 12: 4.0}
    published |= {15: 3.5, 13: 4.25, 7: 3.25, 9: 2.25, 10: 1.5}
    since_2026 = {4: 9.25, 6: 6.0, 11: 4.75}  # 9.75, 6.5 and 5.75 before

    expected = published | since_2026

    assert _values(swiss, "sonneborn_berger", list(expected)) == [
        4 * each for each in expected.values()
    ]


def test_wins_of_the_swiss_count_byes_and_forfeits_as_published(swiss: Results) -> None:
    wins = [3, 2, 2, 2, 3, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1]

    assert _values(swiss, "wins", PLAYERS) == [2 * each for each in wins]


def test_direct_encounter_of_the_longer_swiss_is_that_published() -> None:
    first, later = _rounds(SWISS), _rounds(LONGER)
    changed = {2: _round("3+"), 3: _round("2-")}
    rounds = {
        player: [*first[player][:4], changed.get(player, first[player][4]), *later[player]]
        for player in first
    }

    places = order([list(rounds)], by=["points", "head_to_head"], results=_results(rounds))

    assert places[0] == (3,)
    assert places[1:4] == [(6,), (1, 4), (2,)]
    # Nobody else is told apart: 9 and 12, for example, have met in a draw.
    points = _results(rounds).points
    assert all(len({points(player) for player in place}) == 1 for place in places)
    assert [len(place) for place in places[4:]] == [
        len(place) for place in order([list(rounds)], by=["points"], results=_results(rounds))[2:]
    ]


@pytest.fixture
def round_robin() -> Results:
    """Pairings are known from the start, so forfeits count like games (article 15)."""
    counts: dict[float, Counts] = {2.0: (1, 0, 0), 1.0: (0, 1, 0), 0.0: (0, 0, 1)}
    against = {
        player: {each.opponent or 0: counts[each.points] for each in rounds}
        for player, rounds in _rounds(ROUND_ROBIN).items()
    }
    return Results(wins={}, against=against, fit={})


def test_round_robin_is_that_published(round_robin: Results) -> None:
    players = list(range(1, 7))

    assert _values(round_robin, "points", players) == [3.5, 3.5, 3.5, 1.5, 1.5, 1.5]
    assert _values(round_robin, "sonneborn_berger", players) == [
        *(9.25, 6.25, 6.25),
        *(4.25, 3.25, 2.25),
    ]
    by_meetings = order([players], by=["points", "head_to_head"], results=round_robin)
    assert by_meetings == [(1,), (2, 3), (6,), (5,), (4,)]
