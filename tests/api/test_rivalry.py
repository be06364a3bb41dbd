import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from pentathlon.bots.models import BotVersion
from tests.api.client import V1, assert_problem
from tests.factories import make_version
from tests.pentathlon.insight.rivalry.playing import count, end, play

pytestmark = pytest.mark.django_db


@pytest.fixture
def two() -> tuple[BotVersion, BotVersion]:
    return make_version(), make_version()


def _pair(own: BotVersion, other: BotVersion) -> str:
    return f"{V1}/bots/{own.bot_id}/against/{other.bot_id}/"


def test_both_sides_of_a_pair_add_up(two: tuple[BotVersion, BotVersion]) -> None:
    play(*two, times=2)
    play(two[1], two[0], ranks=(0, 0))

    own = APIClient().get(_pair(*two)).json()
    other = APIClient().get(_pair(two[1], two[0])).json()

    assert (own["score"]["points"], other["score"]["points"]) == (2.5, 0.5)
    assert own["score"]["expected"] + other["score"]["expected"] == pytest.approx(1)
    assert own["score"]["difference"] == pytest.approx(-other["score"]["difference"])
    assert own["streak"]["length"] == 2
    assert own["streak"] == other["other_streak"]
    assert [each["seat"] for each in own["seats"]] == [0, 1]
    assert own["lineups"][0]["other_version"] == two[1].pk


def test_meetings_are_told_from_the_side_of_the_first(
    two: tuple[BotVersion, BotVersion],
) -> None:
    match = play(*two)

    (own,) = APIClient().get(_pair(*two) + "meetings/").json()["results"]
    (other,) = APIClient().get(_pair(two[1], two[0]) + "meetings/").json()["results"]

    assert (own["match"], own["points"], other["points"]) == (match.pk, 1.0, 0.0)
    assert (own["version"], other["version"]) == (two[0].pk, two[1].pk)
    assert own["expected"] == other["expected"] == 0.5


def test_opponents_come_with_few_queries(two: tuple[BotVersion, BotVersion]) -> None:
    for _ in range(2):
        end(*two)
    end(two[0], make_version())
    count()
    address = f"{V1}/bots/{two[0].bot_id}/opponents/?game=tuned"

    with CaptureQueriesContext(connection) as queries:
        first, second = APIClient().get(address).json()["results"]

    assert (first["opponent"]["id"], first["score"]["wins"]) == (two[1].bot_id, 2)
    assert second["score"]["wins"] == 1
    assert len(queries) <= 6


@pytest.mark.parametrize("name", ["version", "other_version", "tournament", "game"])
def test_odd_parameters_are_refused(two: tuple[BotVersion, BotVersion], name: str) -> None:
    refused = APIClient().get(f"{_pair(*two)}?{name}=x")

    code = "unknown_game" if name == "game" else "invalid"
    assert_problem(refused, status=400, code=code, attr=name)


def test_unknown_bot_and_parameter_are_refused(two: tuple[BotVersion, BotVersion]) -> None:
    missing = APIClient().get(f"{V1}/bots/{two[0].bot_id}/against/99999999/")
    unknown = APIClient().get(f"{_pair(*two)}?bot=1")

    assert_problem(missing, status=404, code="not_found")
    assert_problem(unknown, status=400, code="unknown_parameter", attr="bot")


class TestRivals:
    def test_rivals_of_a_bot_are_those_of_its_page(
        self, two: tuple[BotVersion, BotVersion]
    ) -> None:
        match = play(*two)
        own, other = two

        told = APIClient().get(f"{V1}/bots/{own.bot_id}/rivals/").json()

        assert (told["game"], told["games"]) == ("tuned", ["tuned"])
        assert told["most_met"][0]["opponent"]["id"] == other.bot_id
        assert told["most_met"][0]["score"]["wins"] == 1
        assert [win["version"] for win in told["best_wins"]] == [other.pk]
        assert told["best_wins"][0]["match"] == match.pk
        assert [line["score"]["wins"] for line in told["seats"]] == [1]

    def test_loser_has_no_best_win(self, two: tuple[BotVersion, BotVersion]) -> None:
        play(*two)

        told = APIClient().get(f"{V1}/bots/{two[1].bot_id}/rivals/?game=tuned").json()

        assert told["best_wins"] == []
        assert told["most_met"][0]["score"]["losses"] == 1

    def test_bot_that_met_nobody_has_none(self) -> None:
        version = make_version()
        path = f"{V1}/bots/{version.bot_id}/rivals/"

        told = [APIClient().get(path + query).json() for query in ("", "?game=azure")]

        assert [each["game"] for each in told] == [None, "azure"]
        assert [each["most_met"] for each in told] == [[], []]

    def test_unknown_bot_and_game_are_refused(self, two: tuple[BotVersion, BotVersion]) -> None:
        odd = APIClient().get(f"{V1}/bots/{two[0].bot_id}/rivals/?game=chess")

        assert APIClient().get(f"{V1}/bots/99999999/rivals/").status_code == 404
        assert_problem(odd, status=400, code="unknown_game", attr="game")

    def test_rivals_of_an_author_add_up_all_bots(self, two: tuple[BotVersion, BotVersion]) -> None:
        own, other = two
        second = make_version(owner=own.bot.owner)
        play(own, other)
        play(second, other)

        address = f"{V1}/people/{own.bot.owner.username}/rivals/"
        (rival,) = APIClient().get(address).json()["results"]

        assert rival["username"] == other.bot.owner.username
        assert (rival["score"]["wins"], rival["score"]["counted"]) == (2, 2)
        assert APIClient().get(f"{V1}/people/nobody/rivals/").status_code == 404


@pytest.mark.parametrize(
    "text",
    ["0", "-1", "1" * 20, "0" * 18 + "1" + "9" * 20, "0" * 18 + "1" + "9" * 5000, "\u0661"],
    ids=["zero", "below", "large", "zeros before", "zeros before many", "Arabic"],
)
def test_number_that_no_row_can_have_is_refused(
    text: str, two: tuple[BotVersion, BotVersion]
) -> None:
    answer = APIClient().get(_pair(*two), {"version": text})

    assert_problem(answer, status=400, code="invalid", attr="version")
