import pytest
from rest_framework.test import APIClient

from pentathlon.matches.models import MatchKind
from tests.api.client import V1, assert_problem
from tests.factories import make_bot, make_match, make_tournament, make_user

pytestmark = pytest.mark.django_db

SEARCH = f"{V1}/search/"


def test_search_answers_with_addresses_the_best_first() -> None:
    bot = make_bot("Merlin", owner=make_user("merlinist"))
    cup = make_tournament(name="Merlin Cup")

    body = APIClient().get(SEARCH, {"q": "merlin"}).json()

    assert [row["name"] for row in body["results"]] == ["Merlin", "merlinist", "Merlin Cup"]
    assert body["results"][0] == {
        "kind": "bot",
        "id": bot.pk,
        "name": "Merlin",
        "author": "merlinist",
        "game": "",
        "url": f"{V1}/bots/{bot.pk}/",
    }
    assert body["results"][2]["url"] == f"{V1}/tournaments/{cup.pk}/"
    assert body["next"] is None


def test_match_is_found_by_its_number() -> None:
    match, check = make_match(), make_match(kind=MatchKind.VALIDATION)

    (row,) = APIClient().get(SEARCH, {"q": str(match.pk), "kind": "match"}).json()["results"]

    assert (row["kind"], row["id"], row["game"]) == ("match", match.pk, "tuned")
    assert APIClient().get(SEARCH, {"q": str(check.pk)}).json()["results"] == []


@pytest.mark.parametrize(
    ("query", "code", "attr"),
    [
        ({}, "bad_query", "q"),
        ({"q": ""}, "bad_query", "q"),
        ({"q": "a" * 65}, "bad_query", "q"),
        ({"q": "a", "kind": "cat"}, "bad_kind", "kind"),
        ({"q": "a", "limit": "3"}, "unknown_parameter", "limit"),
    ],
)
def test_bad_query_is_refused_with_a_code(query: dict[str, str], code: str, attr: str) -> None:
    assert_problem(APIClient().get(SEARCH, query), status=400, code=code, attr=attr)
