import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from pentathlon.ratings.models import Pool
from pentathlon.ratings.rankings.services import REFRESH_S, refresh_ranking
from tests.api.client import V1, assert_problem
from tests.factories import make_user, make_version
from tests.pentathlon.ratings.rankings.rated import let_pass, rate

pytestmark = pytest.mark.django_db

TABLE = f"{V1}/rankings/pentathlon/"


def test_ranking_lists_authors_with_their_share_in_each_game() -> None:
    strong, weak = make_user(), make_user()
    version = rate(make_version(owner=strong), mu=30)
    rate(make_version(owner=weak), mu=20)
    refresh_ranking()

    body = APIClient().get(TABLE).json()

    first, second = body["results"]
    assert (first["rank"], first["author"]["username"]) == (1, strong.username)
    assert (second["rank"], second["author"]["username"]) == (2, weak.username)
    assert first["games"]["tuned"]["version"] == version.pk
    assert first["games"]["tuned"]["label"] == version.label
    assert len(first["games"]) == 5
    assert first["share"] == pytest.approx(
        sum(each["share"] for each in first["games"].values()) / 5
    )


def test_list_says_when_and_by_which_rule_it_was_computed() -> None:
    rate(make_version(), mu=30)
    table = refresh_ranking()

    (body,) = APIClient().get(f"{V1}/rankings/").json()["results"]

    assert table is not None
    assert (body["key"], body["authors"]) == ("pentathlon", 1)
    assert (body["rule"], bool(body["computed_at"])) == ("expected-share/1", True)


def test_nothing_computed_is_an_empty_page() -> None:
    assert APIClient().get(TABLE).json() == {"results": [], "next": None, "previous": None}
    assert APIClient().get(f"{V1}/rankings/").json()["results"] == []


def test_unknown_ranking_and_parameter_are_refused() -> None:
    assert_problem(APIClient().get(f"{V1}/rankings/chess/"), status=404, code="not_found")
    unknown = APIClient().get(f"{TABLE}?game=tuned")
    assert_problem(unknown, status=400, code="unknown_parameter", attr="game")


def test_one_author_can_be_asked_for() -> None:
    author = make_user()
    rate(make_version(owner=author), mu=20)
    rate(make_version(), mu=30)
    refresh_ranking()

    body = APIClient().get(f"{TABLE}?author={author.username}").json()

    assert [line["rank"] for line in body["results"]] == [2]


def test_pages_follow_one_another_at_the_same_price() -> None:
    for mu in range(20, 27):
        rate(make_version(), mu=mu)
    refresh_ranking()
    address, ranks, counts = f"{TABLE}?page_size=3", [], []

    while address:
        with CaptureQueriesContext(connection) as queries:
            body = APIClient().get(address).json()
        counts.append(len(queries))
        ranks += [line["rank"] for line in body["results"]]
        address = body["next"]

    assert ranks == [*range(1, 8)]
    assert len(set(counts)) == 1


def test_client_that_has_the_table_gets_304_until_there_is_a_new_one() -> None:
    rate(make_version(), mu=20)
    refresh_ranking()
    tag = APIClient().get(TABLE)["ETag"]

    same = APIClient().get(TABLE, headers={"If-None-Match": tag})
    Pool.objects.update(applied_seq=3)
    let_pass(REFRESH_S + 1)
    refresh_ranking()
    new = APIClient().get(TABLE, headers={"If-None-Match": tag})

    assert (same.status_code, new.status_code) == (304, 200)
