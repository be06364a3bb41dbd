"""Each bound on one request that `/docs/limits/` names: a request at it passes, one past it fails.

Bounds of bodies and heads are tested in `tests/pentathlon/core/server`, of streams in
`tests/pentathlon/live`.
"""

from __future__ import annotations

import json

import pytest
from django.test import Client
from rest_framework.test import APIClient

from pentathlon.core.server import limits
from pentathlon.insight.search.lookup import LONGEST_QUERY
from tests.api.client import V1, assert_problem, client_of
from tests.factories import make_bot, make_user

pytestmark = pytest.mark.django_db


def _nested(levels: int) -> str:
    return "[" * (levels - 1) + "{}" + "]" * (levels - 1)


@pytest.mark.parametrize("levels", [limits.DEEPEST_JSON + 1, 5_000])
def test_json_that_is_nested_too_deep_is_refused(levels: int) -> None:
    client = client_of(make_user(organiser=True))

    answer = client.post(f"{V1}/tournaments/", _nested(levels), content_type="application/json")

    assert_problem(answer, status=400, code="parse_error")
    assert f"{limits.DEEPEST_JSON} levels are allowed" in answer.json()["detail"]


def test_json_at_the_limit_is_read() -> None:
    client = client_of(make_user(organiser=True))
    document = json.dumps({"name": "deep", "document": json.loads(_nested(60))})

    answer = client.post(f"{V1}/tournaments/", document, content_type="application/json")

    assert answer.json()["code"] != "parse_error"


def test_text_of_a_filter_has_a_longest_length(anonymous: APIClient) -> None:
    name = "x" * limits.LONGEST_FILTER

    assert anonymous.get(f"{V1}/bots/?name={name}").status_code == 200
    answer = anonymous.get(f"{V1}/bots/?name={name}x")
    assert answer.status_code == 400
    assert answer.json()["errors"][0]["attr"] == "name"


def test_query_has_a_most_of_fields(anonymous: APIClient) -> None:
    query = "&".join(["game=tuned"] * (limits.MOST_FIELDS + 1))

    assert_problem(anonymous.get(f"{V1}/bots/?{query}"), status=400, code="parse_error")


def test_text_of_a_search_has_a_longest_length(anonymous: APIClient) -> None:
    assert anonymous.get(f"{V1}/search/?q={'x' * LONGEST_QUERY}").status_code == 200
    assert anonymous.get(f"{V1}/search/?q={'x' * (LONGEST_QUERY + 1)}").status_code == 400


def test_page_has_at_most_so_many_rows(
    anonymous: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = make_user()
    for number in range(limits.LARGEST_PAGE + 1):
        make_bot(owner=owner, name=f"bot-{number}")

    usual = anonymous.get(f"{V1}/bots/").json()["results"]
    largest = anonymous.get(f"{V1}/bots/?page_size=100000").json()["results"]

    assert (len(usual), len(largest)) == (limits.PAGE, limits.LARGEST_PAGE)


def test_page_of_limits_names_every_bound_of_one_request(client: Client) -> None:
    page = client.get("/docs/limits/").content.decode()

    table = page.partition('id="one-request"')[2].partition("</table>")[0]
    for word in ("body", "headers", "JSON", "query or form", "filter", "page", "streams"):
        assert word in table
    for number in (limits.DEEPEST_JSON, limits.LONGEST_FILTER, limits.LARGEST_PAGE):
        assert f">{number}" in table
