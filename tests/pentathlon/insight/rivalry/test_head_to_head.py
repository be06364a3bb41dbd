"""Two bots that met in many competitions."""

import pytest

from pentathlon.insight.rivalry import opponents
from pentathlon.insight.rivalry.head_to_head import PairFilter, read_head_to_head
from pentathlon.matches.models import MatchKind
from tests.factories import make_version
from tests.pentathlon.insight.rivalry.playing import count, end

pytestmark = pytest.mark.django_db


def test_latest_competitions_are_listed_then_challenges() -> None:
    first, second = make_version(), make_version()
    for lane in range(1, 56):
        end(first, second, rated=False, lane=lane, kind=MatchKind.TOURNAMENT)
    for lane in (2**40, 2**40 + 1):
        end(first, second, rated=False, lane=lane, kind=MatchKind.CHALLENGE)
    count()

    pair = read_head_to_head(second.bot, first.bot, PairFilter())

    assert (pair.score.meetings, pair.score.wins, pair.score.losses) == (57, 0, 57)
    assert [line.score.losses for line in pair.competitions] == [1] * 50 + [2]
    assert pair.competitions[-1].kind == MatchKind.CHALLENGE
    assert (pair.more_competitions, pair.is_whole) == (5, True)


def test_only_the_latest_meetings_are_added_up(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = make_version(), make_version()
    end(first, second, ranks=(1, 0))
    for _ in range(2):
        end(first, second)
    count()
    monkeypatch.setattr(opponents, "LATEST", 2)

    pair = read_head_to_head(first.bot, second.bot, PairFilter())

    assert (pair.score.counted, pair.score.wins) == (2, 2)
