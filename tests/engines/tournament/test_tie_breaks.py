"""Tie-breaks against tables that were worked out by hand."""

import pytest

from pentathlon_engines.tournament.tie_breaks import (
    TIE_BREAKS,
    Counts,
    Results,
    order,
    order_entries,
    values_of,
)

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
        ("points_per_match", [2 / 3, 2 / 3, 1 / 3, 1 / 3]),
        ("wins", [2, 2, 1, 1]),
        ("sonneborn_berger", [3, 2, 1, 2]),
        ("buchholz_cut_1", [3, 3, 4, 4]),
        ("fit", [1.0, 4.0, 2.0, 3.0]),
    ],
)
def test_value_is_that_of_the_hand(name: str, values: list[float], results: Results) -> None:
    told = values_of([range(4)], by=[name], results=results)

    assert [told[player][name] for player in range(4)] == values


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


def _against(*matches: tuple[int, int, Counts]) -> dict[int, dict[int, Counts]]:
    against: dict[int, dict[int, Counts]] = {}
    for one, other, (won, drawn, lost) in matches:
        against.setdefault(one, {})[other] = (won, drawn, lost)
        against.setdefault(other, {})[one] = (lost, drawn, won)
    return against


def test_equal_values_share_a_place_whoever_entered_first() -> None:
    results = Results(wins={}, against={}, fit={1: 25.0, 2: 25.0, 3: 25.0 + 1e-12})

    for by in ([], ["fit"], ["points"], ["points", "fit"]):
        assert order_entries([3, 1, 2], places=None, by=by, results=results) == [(3, 1, 2)]


def test_head_to_head_says_nothing_where_not_all_have_met() -> None:
    # 0 beat 1, and 2 has met neither.
    results = Results(wins={}, against=_against((0, 1, (2, 0, 0))), fit={})

    assert order([(0, 1, 2)], by=["head_to_head"], results=results) == [(0, 1, 2)]
    values = values_of([(0, 1, 2)], by=["head_to_head"], results=results)
    assert [each["head_to_head"] for each in values.values()] == [None] * 3


def test_head_to_head_puts_first_whom_missing_matches_cannot_catch() -> None:
    # 0 beat all; 1, 2 and 3 have not met each other, so they stay level.
    results = Results(
        wins={}, against=_against(*((0, each, (2, 0, 0)) for each in (1, 2, 3))), fit={}
    )

    assert order([(1, 2, 3, 0)], by=["head_to_head"], results=results) == [(0,), (1, 2, 3)]


def test_head_to_head_counts_means_and_compares_again_those_still_level() -> None:
    # 0 and 1 have met in two blocks, 1 won three matches of four; 2 lost to 0, and drew with 1.
    meetings = ((0, 1, (1, 0, 3)), (0, 2, (2, 0, 0)), (1, 2, (0, 2, 0)))
    results = Results(wins={}, against=_against(*meetings), fit={})

    # 0 and 1 are level among the three, so they are compared again between the two.
    assert order([(0, 1, 2)], by=["head_to_head"], results=results) == [(1,), (0,), (2,)]
    assert values_of([(0, 1, 2)], by=["head_to_head"], results=results)[2] == {"head_to_head": 0.5}


def test_places_of_a_format_go_before_tie_breaks(results: Results) -> None:
    assert order([(3,), (0, 1, 2)], by=list(TIE_BREAKS), results=results)[0] == (3,)
