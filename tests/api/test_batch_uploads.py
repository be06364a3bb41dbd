"""Several archives in one request: each is stored or refused by itself."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from pytest_django import Settings
from rest_framework.test import APIClient

from pentathlon.accounts.models import Scope, User
from pentathlon.bots.models import Bot, BotVersion
from pentathlon.core.server.limits import LARGEST_UPLOAD, MOST_IN_BATCH
from pentathlon.matches.models import Match, MatchKind
from tests.api.client import V1, assert_problem, client_of
from tests.factories import make_bot, make_upload, make_user

pytestmark = pytest.mark.django_db
PATH = f"{V1}/versions/batch/"


@pytest.fixture
def author() -> User:
    return make_user()


@pytest.fixture
def client(author: User) -> APIClient:
    return client_of(author)


def send(
    client: APIClient,
    archives: Sequence[bytes],
    *,
    headers: Mapping[str, str] | None = None,
    **fields: Any,  # Any: whatever a form may hold
) -> Any:
    files = [
        SimpleUploadedFile(f"{number}.zip", data, content_type="application/zip")
        for number, data in enumerate(archives)
    ]
    return client.post(
        PATH, {"archives": files, **fields}, format="multipart", headers=dict(headers or {})
    )


def test_each_archive_becomes_a_bot_or_the_next_version(client: APIClient, author: User) -> None:
    known = make_bot("known", owner=author)

    answer = send(client, [make_upload("new"), make_upload("known")], notes="Both.")

    first, second = answer.json()["results"]
    assert answer.status_code == 200
    assert (first["file"], first["status"], first["problem"]) == ("0.zip", 201, None)
    assert first["version"]["label"] == "new v1"
    assert second["version"]["bot"]["id"] == known.pk
    assert set(BotVersion.objects.values_list("notes", flat=True)) == {"Both."}
    assert Match.objects.filter(kind=MatchKind.VALIDATION).count() == 2


def test_bad_one_among_three_good_keeps_nobody_back(client: APIClient) -> None:
    taken = make_bot("taken")

    answer = send(
        client,
        [make_upload("a"), b"no zip", make_upload("b"), make_upload(taken.name), make_upload("c")],
    )

    results = answer.json()["results"]
    assert [each["status"] for each in results] == [201, 400, 201, 409, 201]
    assert results[1]["version"] is None
    assert results[1]["problem"]["code"] == "not_a_zip"
    assert results[3]["problem"]["code"] == "name_taken"
    assert results[3]["problem"]["detail"]
    assert set(Bot.objects.values_list("name", flat=True)) == {"a", "b", "c", "taken"}


def test_same_bot_twice_gets_two_numbers_and_same_files_one(client: APIClient) -> None:
    first, second = make_upload("twin"), make_upload("twin", salt="2")

    results = send(client, [first, second, second]).json()["results"]

    assert [each["status"] for each in results] == [201, 201, 409]
    assert [each["version"]["number"] for each in results[:2]] == [1, 2]


def test_candidates_stay_ones(client: APIClient) -> None:
    results = send(client, [make_upload("a")], candidate="true").json()["results"]

    assert results[0]["version"]["is_candidate"] is True


def test_repeated_request_is_carried_out_once(client: APIClient) -> None:
    archives = [make_upload("a"), b"no zip"]

    first, second = (send(client, archives, headers={"Idempotency-Key": "x"}) for _ in range(2))

    assert first.json() == second.json()
    assert second.headers["Idempotency-Replayed"] == "true"
    assert BotVersion.objects.count() == 1


def test_eleven_archives_are_too_many(client: APIClient) -> None:
    answer = send(client, [make_upload(f"bot-{n}") for n in range(MOST_IN_BATCH + 1)])

    assert_problem(answer, status=400, code="max_length", attr="archives")
    assert answer.json()["errors"][0]["allowed"]["maxItems"] == MOST_IN_BATCH
    assert not Bot.objects.exists()


def test_no_archive_is_too_few(client: APIClient) -> None:
    answer = client.post(PATH, {"notes": "Nothing."}, format="multipart")

    assert_problem(answer, status=400, code="required", attr="archives")


def test_archives_are_together_as_large_as_one_may_be(client: APIClient) -> None:
    half = b"x" * (LARGEST_UPLOAD // 2)

    assert_problem(send(client, [half, half]), status=413, code="too_large")


def test_each_archive_counts_as_an_upload(client: APIClient, settings: Settings) -> None:
    settings.RATES = {**settings.RATES, "uploads": "3/hour"}

    results = send(client, [make_upload(f"bot-{n}") for n in range(5)]).json()["results"]
    later = send(client, [make_upload("late")])

    assert [each["status"] for each in results] == [201, 201, 201, 429, 429]
    assert results[3]["problem"]["code"] == "throttled"
    assert later.status_code == 429


def test_only_who_may_upload_may(author: User, anonymous: APIClient) -> None:
    reader = client_of(author, scopes=[Scope.PRIVATE_READ])

    assert send(anonymous, [make_upload("a")]).status_code == 401
    assert_problem(send(reader, [make_upload("a")]), status=403, code="missing_scope")
