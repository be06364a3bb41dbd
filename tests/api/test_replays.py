import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from pentathlon.matches.models import Match, MatchKind
from pentathlon_engines.record.record import verify_record
from tests.api.client import V1, assert_problem, client_of
from tests.factories import make_match, make_user, make_version
from tests.pentathlon.matches.acting import claimed
from tests.pentathlon.matches.replays.playing import record_of, submit

pytestmark = pytest.mark.django_db


@pytest.fixture
def match() -> Match:
    job = claimed(make_match())
    return submit(job, record_of(job))


def test_replay_is_a_record_that_anyone_can_verify(match: Match, anonymous: APIClient) -> None:
    answer = anonymous.get(f"{V1}/replays/{match.pk}/")

    record = answer.json()
    assert record["match"] == match.alias
    assert verify_record(record).outcome is not None
    assert "immutable" in answer.headers["Cache-Control"]


def test_replay_is_not_sent_twice(match: Match, anonymous: APIClient) -> None:
    tag = anonymous.get(f"{V1}/replays/{match.pk}/").headers["ETag"]

    again = anonymous.get(f"{V1}/replays/{match.pk}/", headers={"If-None-Match": tag})

    assert again.status_code == 304
    assert again.content == b""
    assert again.headers["ETag"] == tag


def test_board_is_drawn_for_each_ply(match: Match, anonymous: APIClient) -> None:
    path = f"{V1}/replays/{match.pk}/board.svg"
    first, last = (anonymous.get(f"{path}?ply={ply}") for ply in (0, match.ply))

    assert first.headers["Content-Type"] == "image/svg+xml"
    assert first.content.startswith(b"<svg")
    assert first.content != last.content
    assert first.headers["ETag"] != last.headers["ETag"]
    tag = {"If-None-Match": first.headers["ETag"]}
    assert anonymous.get(f"{path}?ply=0", headers=tag).status_code == 304


def test_no_list_of_all_matches_is_made_to_find_one(match: Match, anonymous: APIClient) -> None:
    with CaptureQueriesContext(connection) as queries:
        anonymous.get(f"{V1}/replays/{match.pk}/board.svg")

    statements = [query["sql"] for query in queries]
    assert any("matches_match" in statement for statement in statements)
    assert not [each for each in statements if re.search(r"IN \(SELECT [^(]*matches_match", each)]


@pytest.mark.parametrize("accept", ["image/svg+xml", "text/html", "*/*"])
def test_board_comes_whatever_the_client_accepts(
    accept: str, match: Match, anonymous: APIClient
) -> None:
    path = f"{V1}/replays/{match.pk}/board.svg"

    assert anonymous.get(path, headers={"Accept": accept}).status_code == 200


@pytest.mark.parametrize(
    ("query", "status", "attr"),
    [
        ("ply=-1", 400, "ply"),
        ("ply=x", 400, "ply"),
        ("ply=999", 404, None),
        ("seat=7", 404, None),
        ("seat=-1", 400, "seat"),
    ],
)
def test_board_outside_the_match_is_refused(
    query: str, status: int, attr: str | None, match: Match, anonymous: APIClient
) -> None:
    answer = anonymous.get(f"{V1}/replays/{match.pk}/board.svg?{query}")

    assert answer.status_code == status
    assert answer.json()["errors"][0]["attr"] == attr


def test_match_without_replay_is_not_found(anonymous: APIClient) -> None:
    answer = anonymous.get(f"{V1}/replays/{make_match().pk}/")

    assert_problem(answer, status=404, code="not_found")


def test_replay_of_a_validation_is_for_the_owner_and_not_kept_by_others(
    anonymous: APIClient,
) -> None:
    version = make_version()
    job = claimed(make_match([version, version], kind=MatchKind.VALIDATION))
    submit(job, record_of(job))
    path = f"{V1}/replays/{job.match_id}/"

    assert_problem(anonymous.get(path), status=404, code="not_found")
    assert_problem(client_of(make_user()).get(path), status=404, code="not_found")
    own = client_of(version.bot.owner).get(path)
    assert own.status_code == 200
    assert own.headers["Cache-Control"] == "private, no-cache"
