"""Which rows a leaderboard shows, how their ratings went, and the upset of the day."""

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from pentathlon.bots.models import Bot, BotVersion
from pentathlon.insight.rivalry.models import Meeting
from pentathlon.insight.rivalry.opponents import upset_of_the_day
from pentathlon.ratings.models import LedgerRow, Pool, Rating
from pentathlon.ratings.tables import trends
from tests.factories import make_user, make_version
from tests.pentathlon.insight.rivalry.playing import live_pool, play
from tests.pentathlon.ratings.rankings.rated import rate
from tests.pentathlon.web.pages import Page, page_of

pytestmark = pytest.mark.django_db


def _table(query: str = "") -> Page:
    return page_of(Client().get(f"/leaderboards/tuned/{query}"))


class TestFilters:
    def test_author_keeps_the_ranks_of_the_whole_table(self) -> None:
        ada = make_user("ada")
        rate(make_version(name="Best"), mu=40)
        rate(make_version(name="Second", owner=ada), mu=30)
        rate(make_version(name="Third"), mu=20)

        page = _table("?author=ADA")

        assert "2 Second" in page.text
        assert "Best" not in page.text
        assert "Third" not in page.text
        assert page.field("author")["value"] == "ADA"

    def test_language_is_that_of_the_manifest(self) -> None:
        rate(make_version(name="Snake"), mu=30)
        compiled = rate(make_version(name="Crab"), mu=20)
        BotVersion.objects.filter(pk=compiled.pk).update(manifest={"language": "command"})

        page = _table("?language=command")

        assert "Crab" in page.text
        assert "Snake" not in page.text

    def test_reference_bots_can_be_left_out(self) -> None:
        rate(make_version(name="Mark"), mu=30)
        rate(make_version(name="Person"), mu=20)
        Bot.objects.filter(name="Mark").update(is_reference=True)

        assert "Mark" in _table().text
        page = _table("?references=no")
        assert "Mark" not in page.text
        assert "2 Person" in page.text

    def test_nothing_left_is_said(self) -> None:
        rate(make_version(), mu=30)

        assert "No rated bot matches this filter." in _table("?author=nobody").text

    def test_queries_do_not_grow(self) -> None:
        rate(make_version(), mu=30)
        _table("?references=no")
        before = _queries()
        for number in range(5):
            rate(make_version(), mu=20 + number)

        assert _queries() == before


def _queries() -> int:
    with CaptureQueriesContext(connection) as queries:
        _table("?references=no")
    return len(queries)


class TestTrends:
    def test_change_is_that_of_a_week(self) -> None:
        one, two = make_version(), make_version()
        play(one, two, times=4)
        rows = LedgerRow.objects.order_by("seq")
        rows.filter(seq__lte=2).update(ended_at=timezone.now() - timedelta(days=8))

        found = trends(live_pool().pk, [one.pk, two.pk], now=timezone.now())

        assert len(found[one.pk].scores) == 4
        assert found[one.pk].week_ago == found[one.pk].scores[1]
        assert found[one.pk].change == found[one.pk].scores[3] - found[one.pk].scores[1]
        last = Rating.objects.get(version=one, pool=live_pool())
        assert found[one.pk].scores[-1] == pytest.approx(last.score)
        assert re.search(r"up \d\.\d ?in 7 days", _table("?figures=all").text)
        assert found[one.pk].yesterday == found[one.pk].week_ago
        assert re.search(r"≥ \d+ % ▲ up \d+", _table().text)

    def test_younger_than_a_week_has_no_change(self) -> None:
        one, two = make_version(), make_version()
        play(one, two, times=2)

        found = trends(live_pool().pk, [one.pk], now=timezone.now())

        assert found[one.pk].change is None
        assert "first rated this week" in _table("?figures=all").text
        assert re.search(r"≥ \d+ % new", _table().text)

    def test_other_tables_do_not_mix_in(self) -> None:
        one, two = make_version(), make_version()
        play(one, two, times=2)

        assert trends(Pool.objects.get().pk + 1, [one.pk], now=timezone.now()) == {}
        assert trends(Pool.objects.get().pk, [], now=timezone.now()) == {}


class TestUpset:
    def _win(self, surprise: int | None) -> Meeting:
        match = play(make_version(), make_version())
        Meeting.objects.filter(match=match, seat=0).update(surprise=surprise)
        return Meeting.objects.get(match=match, seat=0)

    def test_least_expected_winner_of_today_is_shown(self) -> None:
        self._win(300_000)
        least = self._win(120_000)
        self._win(None)

        found = upset_of_the_day(timezone.now())

        assert found is not None
        assert (found.match, found.share) == (least.match, 0.12)
        page = page_of(Client().get("/"))
        assert "Upset of the day" in page.text
        assert "gave the winner 12 %" in page.text
        assert f"/matches/{least.match_id}/" in page.links()

    def test_favourite_makes_no_upset(self) -> None:
        self._win(700_000)

        assert upset_of_the_day(timezone.now()) is None

    def test_upset_of_yesterday_stays_until_there_is_a_new_one(self) -> None:
        old = self._win(200_000)
        day = old.ended_on - timedelta(days=1)
        Meeting.objects.update(ended_on=day)

        # Do not use the date of the clock: midnight may pass.
        now = timezone.now().replace(year=day.year, month=day.month, day=day.day)
        found = upset_of_the_day(now + timedelta(days=1))
        assert found is not None
        assert found.on == day
        assert upset_of_the_day(now + timedelta(days=2)) is None
