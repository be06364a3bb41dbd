"""The explorer's history of a benchmark has the shape that counting matches would give it."""

import pytest

from pentathlon.insight.explorer.exploration import explore
from pentathlon.insight.explorer.models import ExploredGame, ExploredPosition
from pentathlon.insight.explorer.services import GROWS_AT, count_positions
from pentathlon_engines import GAMES
from tools.benchmark.load.positions import explore_history

pytestmark = pytest.mark.django_db


def test_more_matches_reach_more_positions() -> None:
    few = explore_history("tuned", matches=100)
    many = explore_history("tuned", matches=2000)

    place = ExploredGame.objects.get(game="tuned")
    assert 10 < few < many == ExploredPosition.objects.count() == place.positions
    assert place.matches == 2000
    assert count_positions(for_s=1) == 0


def test_positions_follow_each_other_as_matches_do() -> None:
    explore_history("tuned", matches=2000)

    found = explore(GAMES["tuned"], [])
    first, *_ = found.nexts

    assert found.reached.matches == found.counted == 2000
    assert found.reached.shares == [0.5, 0.5]
    assert sum(each.reached.matches for each in found.nexts) == 2000
    assert first.reached.matches > GROWS_AT
