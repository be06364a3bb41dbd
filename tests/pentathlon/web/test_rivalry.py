"""Pages about rivals: opponents, two bots against each other, the pairs of a crosstable."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from pentathlon.bots.models import BotVersion
from pentathlon.matches.models import MatchKind
from tests.factories import make_version
from tests.pentathlon.insight.rivalry.playing import count, end, play
from tests.pentathlon.web.pages import Page, page_of
from tests.pentathlon.web.scene import Scene

pytestmark = pytest.mark.django_db


@pytest.fixture
def two() -> tuple[BotVersion, BotVersion]:
    return make_version(name="Ada"), make_version(name="Bob")


def _against(own: BotVersion, other: BotVersion, query: str = "") -> Page:
    address = reverse("head_to_head", args=[own.bot_id, other.bot_id])
    return page_of(Client().get(address + query))


class TestHeadToHead:
    def test_score_is_told_from_the_side_of_the_first_named(
        self, two: tuple[BotVersion, BotVersion]
    ) -> None:
        play(*two, times=3)
        play(two[1], two[0], ranks=(0, 0))

        own, other = _against(*two), _against(two[1], two[0])

        assert "Ada against Bob" in own.text
        assert "3.5 of 4" in own.text
        assert "88 %" in own.text
        assert "longest streak of Ada 3 wins" in own.text
        assert "0.5 of 4" in other.text
        assert "longest streak of Ada none" not in other.text

    def test_wins_of_two_that_failed_go_to_nobody(
        self, two: tuple[BotVersion, BotVersion]
    ) -> None:
        play(*two, ranks=(1, 1), faults={0: "crash", 1: "crash"})

        for page in (_against(*two), _against(two[1], two[0])):
            assert "0 of 1" in page.text
            assert "0 – 0 – 1" in page.text
            assert "In 1 both failed" in page.text

    def test_repeats_are_listed_and_said(self, two: tuple[BotVersion, BotVersion]) -> None:
        play(*two, times=3, course="c" * 32)

        page = _against(*two)

        assert "1 of 1" in page.text
        assert "2 more were exact repeats" in page.text
        assert len([link for link in page.links() if link.startswith("/matches/")]) >= 3

    def test_version_narrows_score_and_list(self, two: tuple[BotVersion, BotVersion]) -> None:
        newer = make_version(bot=two[0].bot)
        first = play(*two)
        play(two[1], newer, times=2)

        page = _against(*two, f"?version={newer.pk}")

        assert "0 of 2" in page.text
        assert reverse("match", args=[first.pk]) not in page.links()

    def test_challenges_count_together_and_unrated(
        self, two: tuple[BotVersion, BotVersion]
    ) -> None:
        for lane in (5, 6):
            end(*two, rated=False, kind=MatchKind.CHALLENGE, lane=2**40 + lane)
        count()

        page = _against(*two)

        assert "Challenges" in page.text
        assert "expected by ratings" not in page.text

    @pytest.mark.parametrize("query", ["?version=x", "?game=chess", "?tournament=99", "?before=x"])
    def test_odd_query_is_no_error(self, two: tuple[BotVersion, BotVersion], query: str) -> None:
        play(*two)

        response = Client().get(
            reverse("head_to_head", args=[two[0].bot_id, two[1].bot_id]) + query
        )

        assert response.status_code in {200, 404}

    def test_unknown_bot_is_not_found(self, two: tuple[BotVersion, BotVersion]) -> None:
        address = reverse("head_to_head", args=[two[0].bot_id, 10**6])

        assert Client().get(address).status_code == 404


class TestOpponents:
    def test_table_shows_share_and_expectation(self, two: tuple[BotVersion, BotVersion]) -> None:
        play(*two, times=2)

        page = page_of(Client().get(reverse("opponents", args=[two[0].bot_id])))

        assert "Opponents of Ada" in page.text
        assert "Bob" in page.text
        assert "100 %" in page.text
        assert "pp" in page.text
        assert "16–31" in page.text  # plies

    def test_nobody_met_is_said(self) -> None:
        version = make_version()

        page = page_of(Client().get(reverse("opponents", args=[version.bot_id])))

        assert "It has met nobody yet." in page.text

    @pytest.mark.parametrize("order", ["meetings", "share", "best", "worst", "x"])
    def test_every_order_is_a_page(self, two: tuple[BotVersion, BotVersion], order: str) -> None:
        play(*two, times=2)

        page_of(Client().get(reverse("opponents", args=[two[0].bot_id]) + f"?order={order}"))

    def test_queries_do_not_grow(self, two: tuple[BotVersion, BotVersion]) -> None:
        addresses = [
            reverse("opponents", args=[two[0].bot_id]),
            reverse("head_to_head", args=[two[0].bot_id, two[1].bot_id]),
            reverse("bot", args=[two[0].bot_id]),
        ]
        play(*two, times=2)
        before = [_queries(address) for address in addresses]
        for _ in range(4):
            end(two[0], make_version())
            end(make_version(bot=two[0].bot), two[1])
        count()

        after = [_queries(address) for address in addresses]

        assert after == before


def _queries(address: str) -> int:
    with CaptureQueriesContext(
        connection,
    ) as queries:
        assert Client().get(address).status_code == 200
    return len(queries)


def test_cell_of_a_crosstable_leads_to_the_matches_of_the_pair(scene: Scene) -> None:
    page = page_of(Client().get(reverse("tournament", args=[scene.closed.pk])))
    own, other = scene.versions[0], scene.versions[2]
    address = reverse("head_to_head", args=[own.bot_id, other.bot_id])
    link = f"{address}?tournament={scene.closed.pk}"

    assert link in page.links()
    pair = page_of(Client().get(link))
    assert "In Autumn Cup." in pair.text
    assert len([each for each in pair.links() if each.startswith("/matches/")]) == 2
