from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from pentathlon.accounts.models import Scope, User
from pentathlon.matches.models import Match
from pentathlon.tournaments.challenges.models import Challenge
from tests.api.client import V1, assert_problem, client_of
from tests.factories import make_user, make_version
from tests.pentathlon.tournaments.challenges.acting import challenged, drawn, play, waiting, won_by

pytestmark = pytest.mark.django_db


def _post(client: APIClient, *, headers: dict[str, str] | None = None, **body: Any) -> Any:
    return client.post(f"{V1}/challenges/", body, format="json", headers=headers)


@pytest.fixture
def author() -> User:
    return make_user()


def test_author_has_a_version_meet_a_bot(author: User) -> None:
    version, rival = make_version(owner=author), make_version()

    answer = _post(client_of(author), version=version.pk, bot=rival.bot_id, blocks=2)

    body = answer.json()
    assert answer.status_code == 201
    assert (body["author"]["username"], body["state"]) == (author.username, "running")
    assert (body["version"]["id"], body["opponent"]["id"]) == (version.pk, rival.pk)
    assert (body["blocks"], body["matches"], body["score"], body["reading"]) == (2, 4, None, None)
    assert [block["seed"] for block in body["played"]] == [None, None]
    assert Match.objects.count() == 4


def test_result_shows_score_interval_seats_and_seeds(author: User) -> None:
    challenge = challenged(author=author, blocks=2)
    first, second, *_ = waiting(challenge)
    play([first, second], won_by(challenge.version))

    body = APIClient().get(f"{V1}/challenges/{challenge.pk}/").json()

    assert body["score"]["points"] == 2
    assert body["score"]["counts"] == [0, 0, 0, 0, 1]
    assert body["score"]["low"] < body["score"]["share"] == 1
    assert body["reading"]["decision"] == "undecided"
    assert body["played"][0] == {
        "number": 1,
        "seed": first.seed,
        "points": 2.0,
        "matches": [first.pk, second.pk],
    }
    assert body["played"][1]["seed"] is None
    assert body["seats"][0] == {"seat": 0, "wins": 1, "draws": 0, "losses": 0}


def test_request_that_is_sent_again_makes_one_challenge(author: User) -> None:
    version, rival = make_version(owner=author), make_version()
    client, key = client_of(author), {"Idempotency-Key": "once"}

    answers = [
        _post(client, headers=key, version=version.pk, bot=rival.bot_id, blocks=1)
        for _ in range(2)
    ]

    assert [answer.status_code for answer in answers] == [201, 201]
    assert answers[0].json()["id"] == answers[1].json()["id"]
    assert Challenge.objects.count() == 1


def test_cancelled_challenge_says_what_was_played(author: User) -> None:
    challenge = challenged(author=author, blocks=2)
    play(waiting(challenge)[:2], drawn)

    answer = client_of(author).post(f"{V1}/challenges/{challenge.pk}/cancel/")

    body = answer.json()
    assert (answer.status_code, body["state"], body["done"], body["void"]) == (
        *(200, "cancelled"),
        *(2, 2),
    )


def test_quota_is_told_to_its_owner_only(author: User) -> None:
    challenged(author=author, blocks=3)

    answer = client_of(author).get(f"{V1}/challenges/quota/")

    body = answer.json()
    assert (body["limit"], body["used"], body["left"], body["under_way"]) == (400, 6, 394, 1)
    assert body["renews_at"].endswith("T00:00:00Z")
    assert APIClient().get(f"{V1}/challenges/quota/").status_code == 401


def test_refusals_name_the_field_and_a_code(author: User) -> None:
    version, rival = make_version(owner=author), make_version()
    client = client_of(author)

    unknown = _post(client, version=version.pk, bot=rival.bot_id, rounds=3)
    many = _post(client, version=version.pk, bot=rival.bot_id, blocks=21)
    own = _post(client, version=version.pk, bot=version.bot_id)
    foreign = _post(client, version=rival.pk, bot=version.bot_id)
    nobody = _post(APIClient(), version=version.pk, bot=rival.bot_id)

    assert_problem(unknown, status=400, code="unknown_field", attr="rounds")
    assert_problem(many, status=400, code="too_many_blocks", attr="blocks")
    assert_problem(own, status=400, code="own_bot", attr="bot")
    assert_problem(foreign, status=403, code="not_your_bot", attr="version")
    assert nobody.status_code == 401


def test_token_needs_the_scope_of_bots(author: User) -> None:
    version, rival = make_version(owner=author), make_version()
    client = client_of(author, scopes=[Scope.TOURNAMENTS_WRITE])

    answer = _post(client, version=version.pk, bot=rival.bot_id)

    assert_problem(answer, status=403, code="missing_scope")


def test_list_costs_the_same_for_one_and_for_many() -> None:
    counts = []
    for _ in range(2):
        challenged(blocks=1)
        challenge = challenged(blocks=2)
        play(waiting(challenge), drawn)
        with CaptureQueriesContext(connection) as queries:
            answer = APIClient().get(f"{V1}/challenges/")
        counts.append(len(queries))

    assert counts[0] == counts[1]
    assert len(answer.json()["results"]) == 4


def test_list_can_be_narrowed_to_an_author_and_a_bot() -> None:
    first, _ = challenged(), challenged()

    by_author = APIClient().get(f"{V1}/challenges/?author={first.author.username}")
    by_bot = APIClient().get(f"{V1}/challenges/?bot={first.opponent.bot_id}")

    for answer in (by_author, by_bot):
        assert [each["id"] for each in answer.json()["results"]] == [first.pk]
