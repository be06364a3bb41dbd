import base64
import gzip
import re
from datetime import datetime, timedelta

import pytest
from django.core.exceptions import RequestDataTooBig, SuspiciousOperation
from django.db import OperationalError
from django.test import Client
from django.utils import timezone
from pytest_django import Settings
from rest_framework.exceptions import ErrorDetail
from rest_framework.test import APIClient

from api.games import GameViewSet
from api.protocol.requests import flatten_errors
from pentathlon.core.errors import DomainError, Unavailable
from tests.api.client import V1, assert_problem, client_of
from tests.factories import make_user

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    "path",
    [
        "/api/",
        "/api/v1/",
        "/api/v2/bots/",
        "/api/v1/bots",
        "/api/v1/robots/",
        "/api/v1/bots/x/",
        f"/api/v1/bots/{'9' * 30}/",
        "/api/v1/games/../bots/1/",
    ],
)
@pytest.mark.parametrize("method", ["get", "post", "delete"])
def test_unknown_address_is_a_problem(path: str, method: str, anonymous: APIClient) -> None:
    assert_problem(getattr(anonymous, method)(path), status=404, code="not_found")


def test_forgotten_slash_is_pointed_out(anonymous: APIClient) -> None:
    assert "slash" in anonymous.get("/api/v1/bots").json()["detail"]


@pytest.mark.parametrize(
    "path",
    [
        f"{V1}/{resource}/{10**17}/"
        for resource in ("bots", "versions", "matches", "replays", "tournaments")
    ],
)
def test_unknown_thing_is_named(path: str, anonymous: APIClient) -> None:
    answer = anonymous.get(path)

    assert_problem(answer, status=404, code="not_found")
    assert str(10**17) in answer.json()["detail"]


@pytest.mark.parametrize("method", ["put", "patch", "delete"])
def test_method_that_is_not_there_is_a_problem(method: str) -> None:
    answer = getattr(client_of(make_user()), method)(f"{V1}/bots/")

    assert_problem(answer, status=405, code="method_not_allowed")
    assert "GET" in answer.headers["Allow"]


@pytest.mark.parametrize(
    "body", [b"{", b"", b"\xff\xfe", b'{"name": NaN}', b"[" * 100_000, b"nul"]
)
def test_unreadable_json_is_a_problem(body: bytes) -> None:
    client = client_of(make_user(organiser=True))

    answer = client.post(f"{V1}/tournaments/", body, content_type="application/json")

    assert answer.status_code == 400
    assert answer.headers["Content-Type"] == "application/problem+json"


@pytest.mark.parametrize("body", ["[]", '"x"', "3", "null"])
def test_json_that_is_no_object_is_a_problem(body: str) -> None:
    client = client_of(make_user(organiser=True))

    answer = client.generic("POST", f"{V1}/tournaments/", body, content_type="application/json")

    assert answer.status_code == 400
    assert answer.headers["Content-Type"] == "application/problem+json"


def test_unknown_content_type_is_a_problem() -> None:
    client = client_of(make_user(organiser=True))

    answer = client.generic("POST", f"{V1}/tournaments/", "name=x", content_type="text/plain")

    assert_problem(answer, status=415, code="unsupported_media_type")


def test_large_json_is_refused() -> None:
    client = client_of(make_user(organiser=True))

    answer = client.post(f"{V1}/tournaments/", {"name": "x" * 2_000_000})

    assert_problem(answer, status=413, code="too_large")


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"no boundary here",
        b'--x\r\nContent-Disposition: form-data; name="archive"; filename="a"\r\n\r\ncut',
        b"--x\r\n\r\n" * 2000,
    ],
)
def test_broken_form_is_a_problem(body: bytes) -> None:
    answer = client_of(make_user()).post(
        f"{V1}/bots/", body, content_type="multipart/form-data; boundary=x"
    )

    assert answer.status_code == 400
    assert answer.headers["Content-Type"] == "application/problem+json"


def test_form_with_too_many_fields_is_a_problem() -> None:
    fields = {f"f{number}": "x" for number in range(2000)}

    answer = client_of(make_user()).post(f"{V1}/bots/", fields, format="multipart")

    assert_problem(answer, status=400, code="parse_error")


def test_too_many_requests_say_when_to_come_back(anonymous: APIClient, settings: Settings) -> None:
    settings.RATES = {**settings.RATES, "visitors": "2/min"}
    answers = [anonymous.get(f"{V1}/games/") for _ in range(3)]

    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert_problem(answers[2], status=429, code="throttled")
    assert 0 < int(answers[2].headers["Retry-After"]) <= 60
    problem = answers[2].json()
    assert re.fullmatch(
        r"The rate visitors allows 2 requests in one minute\. Try again in \d+ seconds, at "
        r"\d\d:\d\d:\d\d UTC\.",
        problem["detail"],
    )
    allowed = problem["errors"][0]["allowed"]
    assert (allowed["rate"], allowed["requests"], allowed["window_s"]) == ("visitors", 2, 60)
    assert datetime.fromisoformat(allowed["resets_at"]) > timezone.now() - timedelta(minutes=1)


@pytest.mark.parametrize(
    ("path", "types"),
    [
        ("/bots/", ["multipart/form-data"]),
        ("/challenges/", ["application/json"]),
    ],
)
def test_type_that_is_not_read_names_those_that_are(path: str, types: list[str]) -> None:
    answer = client_of(make_user()).post(f"{V1}{path}", b"PK", content_type="application/zip")

    assert_problem(answer, status=415, code="unsupported_media_type")
    assert answer.json()["errors"][0]["allowed"] == types
    assert all(each in answer.json()["detail"] for each in types)


@pytest.mark.parametrize("is_said", [True, False])
def test_packed_body_is_refused_in_words(*, is_said: bool) -> None:
    headers = {"Content-Encoding": "gzip"} if is_said else {}
    body = gzip.compress(b'{"blocks": 1}')

    answer = client_of(make_user()).post(
        f"{V1}/challenges/", body, content_type="application/json", headers=headers
    )

    assert_problem(answer, status=415, code="packed_body")
    assert "packed (gzip)" in answer.json()["detail"]


@pytest.mark.parametrize(
    ("body", "attr", "pointer"),
    [
        ('{"game": "tuned", "game": "azure"}', "game", "/game"),
        ('{"a": [1, {"b/c": {"d": 1, "e": 2, "d": 1}}]}', "a.1.b/c.d", "/a/1/b~1c/d"),
        ('{"a": {}, "a": {"b": 1, "b": 2}}', "a.b", "/a/b"),
    ],
)
def test_key_that_occurs_twice_is_refused_by_name(body: str, attr: str, pointer: str) -> None:
    answer = client_of(make_user()).post(
        f"{V1}/challenges/", body, content_type="application/json"
    )

    assert_problem(answer, status=400, code="repeated_key", attr=attr)
    assert answer.json()["errors"][0]["pointer"] == pointer


@pytest.mark.parametrize("body", [b"\xef\xbb\xbf{}", b"{}", b'\xef\xbb\xbf{"a": 1}'])
def test_byte_order_mark_is_no_error(body: bytes) -> None:
    answer = client_of(make_user()).post(
        f"{V1}/challenges/", body, content_type="application/json"
    )

    assert answer.json()["code"] == "validation_error"


@pytest.mark.parametrize("cursor", ["x", "cD1ub3Q=", "cD0A"])
@pytest.mark.parametrize("path", ["/leaderboards/tuned/", "/bots/"])
def test_unusable_cursor_is_a_problem(cursor: str, path: str, anonymous: APIClient) -> None:
    answer = anonymous.get(f"{V1}{path}?cursor={cursor}")

    assert_problem(answer, status=404, code="not_found")


def test_failure_of_ours_is_a_problem_that_tells_no_secret(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*args: object) -> None:
        raise RuntimeError("secret")

    monkeypatch.setattr(GameViewSet, "list", fail)

    answer = Client(raise_request_exception=False).get(f"{V1}/games/")

    assert_problem(answer, status=500, code="error")
    assert b"secret" not in answer.content


def test_refusal_of_no_known_kind_is_a_bad_request(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object) -> None:
        raise DomainError("Not today.", code="not_today")

    monkeypatch.setattr(GameViewSet, "list", refuse)

    assert_problem(Client().get(f"{V1}/games/"), status=400, code="not_today")


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (Unavailable("The store is away.", code="replay_store_away"), 503, "replay_store_away"),
        (OperationalError("could not connect to 10.0.0.7"), 503, "database_away"),
        (RequestDataTooBig("more than 2.5 MB"), 413, "too_large"),
        (SuspiciousOperation("/etc/passwd"), 400, "parse_error"),
    ],
    ids=repr,
)
def test_failure_of_the_host_or_the_form_is_told_as_such(
    error: Exception, status: int, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: object) -> None:
        raise error

    monkeypatch.setattr(GameViewSet, "list", fail)

    answer = Client(raise_request_exception=False).get(f"{V1}/games/")

    assert_problem(answer, status=status, code=code)
    assert answer.headers.get("Retry-After") == ("5" if status == 503 else None)
    assert b"10.0.0.7" not in answer.content
    assert b"passwd" not in answer.content


def test_errors_in_lists_of_lists_keep_their_places() -> None:
    wrong = {"games": [[ErrorDetail("No.", "invalid")], {"key": [ErrorDetail("So?", "invalid")]}]}

    assert [(each.field, each.detail) for each in flatten_errors(wrong)] == [
        ("games.0", "No."),
        ("games.1.key", "So?"),
    ]


def test_name_that_no_database_can_look_up_is_a_wrong_name(anonymous: APIClient) -> None:
    credentials = base64.b64encode(b"a\0b:secret").decode()

    answer = anonymous.post(f"{V1}/tokens/", HTTP_AUTHORIZATION=f"Basic {credentials}")

    assert_problem(answer, status=401, code="authentication_failed")
