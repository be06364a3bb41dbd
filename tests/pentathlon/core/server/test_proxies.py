"""Nobody but our own proxies says who a client is."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from django.db import connections

from pentathlon.asgi import application
from pentathlon.core.server.protocol import Receive, Scope, Send
from pentathlon.core.server.proxies import (
    WAS_FORWARDED,
    take_off_inner_headers,
    without_hearsay,
    without_inner_headers,
)
from tests.factories import make_match, make_version
from tests.pentathlon.core.server.asking import ask, scope_of
from tests.pentathlon.matches.acting import claimed

CLAIMS = ("X-Forwarded-For", "X_Forwarded_For", "X-Forwarded_For", "Forwarded", "X-Real-IP")


def told(proxies: int, *headers: tuple[str, str]) -> Scope:
    return without_hearsay(scope_of("/", headers=headers), proxies=proxies)


@pytest.mark.parametrize("name", CLAIMS)
def test_client_cannot_say_who_it_is(name: str) -> None:
    scope = told(0, (name, "1.2.3.4"))

    assert scope["client"][0] == "10.3.2.1"
    assert scope["headers"] == [(b"host", b"localhost")]


@pytest.mark.parametrize("name", CLAIMS[1:])
def test_proxy_is_believed_and_its_client_is_not(name: str) -> None:
    scope = told(1, (name, "6.6.6.6"), ("X-Forwarded-For", "7.7.7.7, 1.2.3.4"), (name, "6.6.6.6"))

    assert scope["client"][0] == "1.2.3.4"
    assert scope["headers"] == [(b"host", b"localhost")]


@pytest.mark.parametrize(
    ("proxies", "line", "client"),
    [
        (2, "7.7.7.7, 1.2.3.4, 10.0.0.1", "1.2.3.4"),
        (2, "1.2.3.4", "1.2.3.4"),
        (1, "1.2.3.4:5678", "1.2.3.4"),
        (1, "[2001:db8::1]:5678", "2001:db8::1"),
        (1, "2001:db8::1", "2001:db8::1"),
        (1, "nonsense", "10.3.2.1"),
        (1, "", "10.3.2.1"),
    ],
)
def test_address_is_the_one_before_our_proxies(proxies: int, line: str, client: str) -> None:
    assert told(proxies, ("X-Forwarded-For", line))["client"][0] == client


@pytest.mark.parametrize(("proxies", "scheme"), [(0, "http"), (1, "https")])
def test_scheme_is_what_a_proxy_of_ours_says(proxies: int, scheme: str) -> None:
    assert told(proxies, ("X-Forwarded-Proto", "https"))["scheme"] == scheme


def test_it_is_remembered_that_somebody_forwarded() -> None:
    assert told(0, ("X-Forwarded-For", "1.2.3.4"))[WAS_FORWARDED]
    assert not told(0)[WAS_FORWARDED]


_SOURCES = Path("platform/pentathlon")
_DECLARED = re.compile(r'^_?(?:\w+_)?HEADER: Final = "([^"]+)"', re.MULTILINE)


def test_inner_headers_stay_inside() -> None:
    async def site(scope: Scope, receive: Receive, send: Send) -> None:
        headers = [(b"Pentathlon-Stream", b"{}"), (b"pentathlon-new", b"x"), (b"etag", b'"a"')]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"pentathlon-stream"})

    async def outside(scope: Scope, receive: Receive, send: Send) -> None:
        await site(scope, receive, without_inner_headers(send))

    answer = ask(outside, scope_of("/"))

    assert answer.headers == {"etag": '"a"'}
    assert answer.body == b"pentathlon-stream"


def test_they_stay_inside_under_any_other_server() -> None:
    def site(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        start_response("200 OK", [("Pentathlon-Continues", "after=1"), ("ETag", '"a"')], None)
        return [b"body"]

    told: list[object] = []

    body = take_off_inner_headers(site)({}, lambda *args: told.append(args))

    assert told == [("200 OK", [("ETag", '"a"')], None)]
    assert list(body) == [b"body"]


def test_all_of_them_have_the_name_that_is_taken_off() -> None:
    declared = {
        name for path in _SOURCES.rglob("*.py") for name in _DECLARED.findall(path.read_text())
    }

    inner = declared - {"X-Request-ID", "traceparent"}
    assert len(inner) >= 3
    assert all(name.startswith("Pentathlon-") for name in inner)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("method", ["HEAD", "GET"])
def test_site_hands_out_none(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # Its threads outlive the test; their connections must not.
    monkeypatch.setitem(connections.settings["default"], "CONN_MAX_AGE", 0)
    job = claimed(make_match([make_version(), make_version()]))
    paths = [f"/api/v1/matches/{job.match_id}/events/", "/api/v1/matches/history/tuned.ndjson"]

    for path in paths[method == "GET" :]:
        answer = ask(application, scope_of(path, method=method))

        assert answer.status == 200
        assert [name for name in answer.headers if name.startswith("pentathlon-")] == []
        assert "content-length" not in answer.headers
