"""Tie-breaks against tables that were worked out by hand."""

from __future__ import annotations

import pytest

from pentathlon_engines.tournament.tie_breaks import TIE_BREAKS, Results, order, values_of

# 0 beats 1 and 2, loses to 3; 1 beats 2 and 3; 2 beats 3.
BEATEN = {0: (1, 2), 1: (2, 3), 2: (3,), 3: (0,)}


@pytest.fixture
def results() -> Results:
    against: dict[int, dict[int, tuple[int, int, int]]] = {player: {} for player in BEATEN}
    for winner, losers in BEATEN.items():
        for loser in losers:
            against[winner][loser] = (1, 0, 0)
            against[loser][winner] = (0, 0, 1)
    return Results(
        wins={player: len(losers) for player, losers in BEATEN.items()},
        against=against,
        fit={0: 1.0, 1: 4.0, 2: 2.0, 3: 3.0},
    )


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("points", [2, 2, 1, 1]),
        ("wins", [2, 2, 1, 1]),
        ("sonneborn_berger", [3, 2, 1, 2]),
        ("buchholz_cut_1", [3, 3, 4, 4]),
        ("fit", [1.0, 4.0, 2.0, 3.0]),
    ],
)
def test_value_is_that_of_the_hand(name: str, values: list[float], results: Results) -> None:
    told = [values_of(each, by=[name], results=results, players=range(4))[name] for each in BEATEN]

    assert told == values


@pytest.mark.parametrize(
    ("by", "groups"),
    [
        (["points"], [(0, 1), (2, 3)]),
        (["points", "head_to_head"], [(0,), (1,), (2,), (3,)]),
        (["points", "fit"], [(1,), (0,), (3,), (2,)]),
        (["points", "sonneborn_berger"], [(0,), (1,), (3,), (2,)]),
        (["fit", "points"], [(1,), (3,), (2,), (0,)]),
        ([], [(0, 1, 2, 3)]),
    ],
)
def test_each_tie_break_divides_who_was_level(
    by: list[str], groups: list[tuple[int, ...]], results: Results
) -> None:
    assert order([tuple(BEATEN)], by=by, results=results) == groups


def test_bye_is_a_won_block_against_an_opponent_of_ones_own_points() -> None:
    # 0 beats 1 twice, 2 has a bye; then 2 beats 0 twice, 1 has a bye.
    results = Results(
        wins={0: 2, 1: 0, 2: 2},
        against={
            0: {1: (2, 0, 0), 2: (0, 0, 2)},
            1: {0: (0, 0, 2)},
            2: {0: (2, 0, 0)},
        },
        fit={},
        byes={1: 1, 2: 1},
    )

    expected = {
        "points": [2, 2, 4],
        "wins": [2, 2, 4],
        # 1 has beaten itself in its bye: 2 x 2. 2 has beaten 0 and itself: 2 x 2 + 2 x 4.
        "sonneborn_berger": [4, 4, 12],
        # Of 0: 1 and 2 (2, 4). Of 1: 0 and its bye (2, 2). Of 2: 0 and its bye (2, 4).
        "buchholz_cut_1": [4, 2, 4],
    }

    for name, values in expected.items():
        told = [values_of(each, by=[name], results=results, players=[each]) for each in range(3)]
        assert [each[name] for each in told] == values


def test_places_of_a_format_go_before_tie_breaks(results: Results) -> None:
    assert order([(3,), (0, 1, 2)], by=list(TIE_BREAKS), results=results)[0] == (3,)
