"""Nobody outside reads a header that was meant for the server."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from django.db import connections

from pentathlon.asgi import application
from pentathlon.core.server.proxies import take_off_inner_headers, without_inner_headers
from pentathlon.core.server.refusals import Receive, Scope, Send
from tests.factories import make_match, make_version
from tests.pentathlon.core.server.asking import ask, scope_of
from tests.pentathlon.matches.acting import claimed

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
