"""What `bench schedules` measures is there, and it sees what is wrong."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pentathlon_engines.tournament.formats import designs, swiss
from tools.benchmark.competition.ladders import grow_divisions, play_ladder
from tools.benchmark.competition.pairings import (
    check_swiss,
    check_tables,
    count_worse_rounds,
    digest_of_formats,
)


@pytest.mark.deep
def test_what_formats_make_has_nothing_wrong() -> None:
    tables = check_tables((12, 4, 1))

    assert (tables.never, tables.seats_apart) == (0, 0)
    assert tables.apart <= 1
    assert check_swiss((30, 1)).avoidable == 0
    assert count_worse_rounds((8, 1)) == 0
    assert digest_of_formats() == digest_of_formats(backwards=True)


def test_rematches_that_can_be_avoided_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def pair_neighbours(costs: Sequence[Sequence[int]]) -> list[int]:
        return [place ^ 1 for place in range(len(costs))]

    monkeypatch.setattr(swiss, "match_all", pair_neighbours)

    assert check_swiss((10, 1)).avoidable > 0
    assert check_swiss((11, 1)).avoidable > 0
    assert check_swiss((24, 1)).avoidable == 8
    assert count_worse_rounds((6, 1)) > 0


def test_pairs_that_never_meet_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(designs._Search, "run", lambda _: True)
    designs.choose_base_groups.cache_clear()

    found = [check_tables((bots, 5, 1)) for bots in (38, 39, 40)]

    designs.choose_base_groups.cache_clear()
    assert sum(each.never for each in found) > 0
    assert max(each.apart for each in found) > 1


def test_a_season_of_a_ladder_is_fair() -> None:
    season = play_ladder((9, 2, 1))

    assert season.largest_share <= 0.4
    assert season.fill_share >= 0.5
    assert season.own_pairs == 0


def test_divisions_stay_small_while_they_grow() -> None:
    grown = grow_divisions((500, 12, 1))

    assert grown.largest <= 60
    assert grown.far_outside <= 2
