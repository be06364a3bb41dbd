from functools import partial
from typing import Any

import pytest
from django.db import connection
from rest_framework.test import APIClient

from pentathlon.accounts.models import IdempotencyRecord
from pentathlon.bots.archives import read_archive
from pentathlon.bots.models import Bot, VersionState
from pentathlon.matches.models import Match
from pentathlon.tournaments.models import Tournament
from pentathlon_engines.archive.archives import CheckedArchive
from tests.api.client import V1, assert_problem, client_of, upload
from tests.factories import make_tournament, make_upload, make_user, make_version
from tests.pentathlon.together import all_at_once

pytestmark = pytest.mark.django_db
CUP = {"name": "Cup", "game": "tuned"}


def create(client: APIClient, *, key: str, **changes: Any) -> Any:
    return client.post(f"{V1}/tournaments/", CUP | changes, headers={"Idempotency-Key": key})


@pytest.fixture
def client() -> APIClient:
    return client_of(make_user(organiser=True))


def test_repeated_request_is_carried_out_once(client: APIClient) -> None:
    first, second = (create(client, key="a") for _ in range(2))

    assert (first.status_code, second.status_code) == (201, 201)
    assert first.json() == second.json()
    assert "Idempotency-Replayed" not in first.headers
    assert second.headers["Idempotency-Replayed"] == "true"
    assert Tournament.objects.count() == 1


def test_other_key_is_another_request(client: APIClient) -> None:
    assert create(client, key="a").json()["id"] != create(client, key="b").json()["id"]


def test_same_key_of_another_person_is_another_request(client: APIClient) -> None:
    create(client, key="a")
    create(client_of(make_user(organiser=True)), key="a")

    assert Tournament.objects.count() == 2


def test_key_cannot_be_used_for_another_request(client: APIClient) -> None:
    create(client, key="a")

    answer = create(client, key="a", name="Other")

    assert_problem(answer, status=409, code="key_reused")
    assert Tournament.objects.count() == 1


def test_key_cannot_be_used_at_another_address() -> None:
    """The bodies are equal, so only the path tells what is meant."""
    one = make_version()
    two = make_version(owner=one.bot.owner)
    client, key = client_of(one.bot.owner), {"Idempotency-Key": "retire"}

    client.post(f"{V1}/versions/{one.pk}/retire/", {}, headers=key)
    answer = client.post(f"{V1}/versions/{two.pk}/retire/", {}, headers=key)

    assert_problem(answer, status=409, code="key_reused")
    two.refresh_from_db()
    assert two.state == VersionState.ELIGIBLE


def test_refusal_is_not_kept(client: APIClient) -> None:
    refused = create(client, key="a", game="chess")

    assert refused.status_code == 400
    assert not IdempotencyRecord.objects.exists()
    assert create(client, key="a").status_code == 201


def test_repeated_upload_makes_one_bot() -> None:
    client, archive = client_of(make_user()), make_upload("Tiger")
    key = {"Idempotency-Key": "a"}

    first, second = (upload(client, "/bots/", archive, headers=key) for _ in range(2))

    assert (first.status_code, second.status_code) == (201, 201)
    assert first.json() == second.json()
    assert Bot.objects.count() == 1


def test_repeated_start_answers_as_the_first_did() -> None:
    organiser = make_user(organiser=True)
    tournament = make_tournament(organiser, versions=[make_version(), make_version()])
    client = client_of(organiser)

    answers = [
        client.post(
            f"{V1}/tournaments/{tournament.pk}/start/", headers={"Idempotency-Key": "start"}
        )
        for _ in range(2)
    ]

    assert [answer.status_code for answer in answers] == [200, 200]
    assert Match.objects.count() == 2


def test_repeated_retirement_answers_as_the_first_did() -> None:
    version = make_version()
    client = client_of(version.bot.owner)
    path, key = f"{V1}/versions/{version.pk}/retire/", {"Idempotency-Key": "retire"}

    answers = [client.post(path, {}, headers=key) for _ in range(2)]

    assert [answer.json()["state"] for answer in answers] == ["retired", "retired"]


@pytest.mark.parametrize("key", ["", "x" * 101, "h\u00e9"])
def test_unusable_key_is_refused(key: str, client: APIClient) -> None:
    answer = client.post(f"{V1}/tournaments/", CUP, HTTP_IDEMPOTENCY_KEY=key)

    assert_problem(answer, status=400, code="bad_idempotency_key", attr="Idempotency-Key")
    assert not Tournament.objects.exists()


def test_key_does_not_help_strangers() -> None:
    assert create(APIClient(), key="a").status_code == 401


@pytest.mark.django_db(transaction=True)
def test_requests_at_the_same_moment_are_carried_out_once(client: APIClient) -> None:
    answers = all_at_once([partial(create, client, key="a") for _ in range(4)])

    assert [answer.status_code for answer in answers] == [201] * 4
    assert len({answer.json()["id"] for answer in answers}) == 1
    assert Tournament.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_archive_is_checked_before_anything_is_locked(
    client: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_transaction: list[bool] = []

    def read(data: bytes) -> CheckedArchive:
        in_transaction.append(connection.in_atomic_block)
        return read_archive(data)

    monkeypatch.setattr("api.bots.versions.read_archive", read)
    key = {"Idempotency-Key": "a"}
    bot = upload(client, "/bots/", make_upload("Tiger"), headers=key)
    again = upload(client, "/bots/", make_upload("Tiger"), headers=key)
    version = upload(
        client,
        "/versions/",
        make_upload("Tiger", salt="2"),
        bot=bot.json()["id"],
        headers={"Idempotency-Key": "b"},
    )

    assert [answer.status_code for answer in (bot, again, version)] == [201] * 3
    assert again.json() == bot.json()
    # The repeated request is answered without a look into its archive.
    assert in_transaction == [False, False]
