"""What is shown, in which order and how fast, as pure functions."""

from dataclasses import replace
from typing import Any

import pytest

from pentathlon.insight.channel.director import (
    OPENING_S,
    RESULT_S,
    Candidate,
    Showing,
    closeness_of,
    heat_of,
    in_order,
    lay_out,
    pace,
    swings_of,
    take,
)

LEVEL = [(0, 0), (1, 1), (2, 2)]
TO_AND_FRO = [(0, 0), (3, 0), (3, 6), (9, 6), (9, 12), (15, 12)]


def candidate(source: str = "1", **changes: Any) -> Candidate:  # Any: its fields
    qualities = dict.fromkeys(("strength", "swings", "closeness", "novelty"), 0.5)
    facts = {"source": source, "game": "tuned", "bots": frozenset[str]()}
    return Candidate(**{**facts, **qualities, **changes})


def _with(quality: str, value: float) -> Candidate:
    return replace(candidate(), **{quality: value})  # type: ignore[arg-type]  # any of them


@pytest.mark.parametrize("quality", ["strength", "swings", "closeness", "novelty"])
def test_each_quality_makes_a_match_worth_more(quality: str) -> None:
    less, more = _with(quality, 0.2), _with(quality, 0.8)

    assert _with(quality, 0).worth > 0
    assert less.worth < more.worth <= 1


def test_lead_that_changes_is_worth_more_than_one_that_stays() -> None:
    ahead = [(0, 0), (1, 0), (2, 0), (3, 0)]

    assert swings_of(TO_AND_FRO) > swings_of(ahead) > swings_of(LEVEL) == 0
    assert 0 < swings_of(None) < 1


def test_close_ends_are_worth_more() -> None:
    assert closeness_of([25, 24]) > closeness_of([25, 3])
    assert closeness_of([7, 5, 7, 4]) == 1
    assert closeness_of([None, None]) == closeness_of([]) < 1


def test_dull_plies_are_fast_and_turns_slow() -> None:
    heat = heat_of([(0, 0)] * 30 + [(0, 9)] * 30)

    standing = dict(pace(heat))

    assert standing[0] == OPENING_S
    assert standing[30] == max(standing[ply] for ply in standing if ply)
    assert standing[30] >= 2 * standing[29]


@pytest.mark.parametrize("plies", [1, 5, 40, 300, 1600])
def test_every_match_is_shown_in_about_a_minute(plies: int) -> None:
    heat = [0.0] * plies
    heat[plies // 2] = 1.0

    shown = take(candidate(), heat)

    assert shown.plies_s <= 100
    assert len(shown.frames) <= 150
    assert {0, plies // 2 + 1, plies} <= {ply for ply, _ in shown.frames}


def test_only_the_end_is_slow_where_no_course_is_known() -> None:
    assert heat_of(None, plies=5) == pytest.approx([0, 0, 1 / 3, 2 / 3, 1])


def test_same_bots_and_games_take_turns() -> None:
    stars = frozenset({"mcts"})
    best = candidate("1", strength=1, bots=stars)
    again = candidate("2", strength=1, bots=stars)
    other = candidate("3", strength=0.6, game="azure")

    assert [each.source for each in in_order([again, other, best])] == ["2", "3", "1"]


def covered(slots: list[Showing]) -> list[float]:
    return [slots[0].starts, *(slot.ends for slot in slots)]


@pytest.mark.parametrize("plies", [[5], [40, 300], [12] * 40])
def test_programme_fills_its_time_without_a_gap(plies: list[int]) -> None:
    takes = [take(candidate(str(at)), [0.0] * each) for at, each in enumerate(plies)]

    slots = lay_out(takes, starts=1000.0, ends=1600.0)

    assert slots[0].starts == 1000
    assert slots[-1].ends == pytest.approx(1600)
    assert [slot.ends for slot in slots[:-1]] == [slot.starts for slot in slots[1:]]
    for slot in slots:
        assert 0.6 < (slot.ends - slot.starts - slot.result_at) / RESULT_S < 1.7
        assert slot.frames[-1][1] < slot.result_at


def test_nothing_to_show_is_no_programme() -> None:
    assert lay_out([], starts=0, ends=600) == []
