"""Two bots that met in many competitions."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from pentathlon.insight.rivalry.head_to_head import PairFilter, read_head_to_head
from pentathlon.insight.rivalry.models import PairSum
from pentathlon.insight.rivalry.sums import COUNTS
from pentathlon.matches.models import MatchKind
from tests.factories import make_version

pytestmark = pytest.mark.django_db


def test_many_competitions_are_added_up_by_the_database() -> None:
    first, second = make_version(), make_version()
    counts = dict.fromkeys(COUNTS[PairSum], 0) | {"meetings": 3, "counted": 3, "wins": 2}
    competed = [(MatchKind.TOURNAMENT, lane) for lane in range(1, 121)]
    PairSum.objects.bulk_create(
        PairSum(
            first_bot=first.bot,
            second_bot=second.bot,
            first=first,
            second=second,
            game="tuned",
            kind=kind,
            lane=lane,
            seats=2,
            first_seat=0,
            second_seat=1,
            **{**counts, "losses": 1},
        )
        for kind, lane in [*competed, (MatchKind.CHALLENGE, 0)]
    )

    with CaptureQueriesContext(connection) as asked:
        found = read_head_to_head(second.bot, first.bot, PairFilter())

    assert (found.score.meetings, found.score.wins, found.score.losses) == (363, 121, 242)
    assert [each.score.wins for each in found.competitions] == [1] * 51
    assert found.competitions[-1].kind == MatchKind.CHALLENGE
    assert found.more_competitions == 70
    sums = [each["sql"] for each in asked.captured_queries if "pairsum" in each["sql"]]
    assert max(map(_rows, sums)) == 50


def _rows(query: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(query)
        return len(cursor.fetchall())
