"""What a receiver may do to us: take a bounded time and send a bounded number of bytes."""

import gzip
import socket
import time
from collections.abc import Callable
from typing import Any

import pytest

from pentathlon.webhooks import http_client
from pentathlon.webhooks.http_client import LARGEST_HEAD, PostResult, post
from tests.patience import PATIENCE_S
from tests.pentathlon.webhooks.receiving import (
    Reply,
    answering,
    dripping,
    flooding,
    hanging,
    receiver,
)


def _post(url: str, *, total_s: float = PATIENCE_S, **given: Any) -> PostResult:
    return post(
        url, body=b'{"a":1}', headers={"X": "1"}, allows_loopback=True, total_s=total_s, **given
    )


def test_request_is_what_it_says() -> None:
    with receiver() as found:
        answer = _post(found.url)

    [request] = found.requests
    assert answer.has_arrived
    assert answer.status == 204
    assert request.head.startswith("POST /hook?a=1 HTTP/1.1\r\n")
    assert request.body == b'{"a":1}'
    assert request.headers["host"] == found.url.split("/")[2]
    assert request.headers["content-type"] == "application/json"
    assert request.headers["x"] == "1"
    assert request.headers["accept-encoding"] == "identity"
    assert request.headers["user-agent"] == "Pentathlon-Webhooks/1"
    assert not {"cookie", "authorization", "referer"} & request.headers.keys()


@pytest.mark.parametrize("status", ["200 OK", "201 Created", "202 Accepted", "299 Fine"])
def test_every_2xx_has_arrived(status: str) -> None:
    with receiver(answering(status, body=b"thanks")) as found:
        answer = _post(found.url)

    assert answer.has_arrived
    assert answer.text == "thanks"


@pytest.mark.parametrize("status", ["400 Bad", "404 Not Found", "410 Gone", "500 Oops"])
def test_other_answers_have_not_arrived(status: str) -> None:
    with receiver(answering(status, body=b"no")) as found:
        answer = _post(found.url)

    assert answer.error == f"Answered {status[:3]}; 2xx means that it has arrived."
    assert answer.text == "no"


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirect_is_not_followed(status: int) -> None:
    with receiver() as inside:
        hop = answering(f"{status} Away", headers=f"Location: {inside.url}\r\n")
        with receiver(hop) as found:
            answer = _post(found.url)

    assert "redirects are not followed" in answer.error
    assert (len(found.requests), inside.connections) == (1, 0)


def test_cookies_are_not_kept() -> None:
    with receiver(answering(headers="Set-Cookie: a=b\r\n")) as found:
        _post(found.url)
        _post(found.url)

    assert [request.headers.get("cookie") for request in found.requests] == [None, None]


@pytest.mark.parametrize("reply", [dripping, hanging], ids=["dripping", "hanging"])
def test_slow_answer_ends_after_the_whole_time(reply: Reply) -> None:
    began = time.monotonic()
    with receiver(reply) as found:
        answer = _post(found.url, total_s=0.5)

    assert answer.error == "No complete answer in 0.5 s."
    assert time.monotonic() - began >= 0.5


def test_endless_headers_end_after_some_bytes() -> None:
    with receiver(flooding) as found:
        answer = _post(found.url)

    assert str(LARGEST_HEAD) in answer.error or "got more than" in answer.error
    assert not answer.has_arrived


def test_huge_answer_is_cut_and_closed() -> None:
    sent = [0]

    def reply(connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 10000000000\r\n\r\n")
        while True:
            sent[0] += connection.send(b"x" * 65536)

    with receiver(reply) as found:
        answer = _post(found.url)

    assert answer.has_arrived
    assert answer.text == "x" * 1024
    assert sent[0] < 20_000_000


def test_compressed_answer_is_not_unpacked() -> None:
    bomb = gzip.compress(b"\0" * 10_000_000)
    with receiver(answering("200 OK", body=bomb, headers="Content-Encoding: gzip\r\n")) as found:
        answer = _post(found.url)

    assert answer.has_arrived
    assert answer.text == "(compressed: gzip)"


def test_answer_is_fit_for_the_database() -> None:
    with receiver(answering("200 OK", body=b"a\0b\xff\xed\xa0\x80")) as found:
        answer = _post(found.url)

    assert "\0" not in answer.text
    assert answer.text.encode().decode() == answer.text


@pytest.mark.parametrize("text", [b"", b"hello\r\n", b"HTTP/1.1 abc\r\n\r\n", b"\0" * 100])
def test_nonsense_is_an_error_and_no_crash(text: bytes) -> None:
    with receiver(lambda connection: connection.sendall(text)) as found:
        answer = _post(found.url)

    assert answer.status is None
    assert answer.error


def test_closed_port_is_an_error() -> None:
    with receiver() as found:
        pass

    answer = _post(found.url)

    assert "ConnectionRefusedError" in answer.error


def test_internal_address_is_never_connected_to() -> None:
    with receiver() as found:
        answer = post(found.url, body=b"", headers={}, allows_loopback=False)

    assert answer.error.startswith("Nothing was sent:")
    assert found.connections == 0


def _rebinding(monkeypatch: pytest.MonkeyPatch, *answers: str) -> list[str]:
    """Have the resolver of this process say something else each time; note what it is asked."""
    asked: list[str] = []
    real: Callable[..., Any] = socket.getaddrinfo

    def lie(host: str, port: int, *args: Any, **options: Any) -> Any:
        if host != "rebind.example":
            return real(host, port, *args, **options)
        address = answers[min(len(asked), len(answers) - 1)]
        asked.append(host)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))]

    monkeypatch.setattr(socket, "getaddrinfo", lie)
    return asked


def test_name_that_changes_its_address_is_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    with receiver() as good, receiver(host="127.0.0.2") as other:
        port = good.url.split(":")[2].split("/")[0]
        asked = _rebinding(monkeypatch, "127.0.0.1", "127.0.0.2")

        answer = _post(f"http://rebind.example:{port}/")

    assert answer.has_arrived
    assert asked == ["rebind.example"]
    assert good.requests[0].headers["host"] == f"rebind.example:{port}"
    assert other.connections == 0


def test_name_of_an_internal_address_is_not_connected_to(monkeypatch: pytest.MonkeyPatch) -> None:
    with receiver() as found:
        _rebinding(monkeypatch, "127.0.0.1")

        answer = post("https://rebind.example:8443/", body=b"", headers={}, allows_loopback=False)

    assert "127.0.0.1 is not a public address" in answer.error
    assert found.connections == 0


def test_unknown_name_is_an_error() -> None:
    def resolve(host: str, port: int) -> list[str]:
        raise socket.gaierror(-2, "Name or service not known")

    answer = _post("http://nobody.example/", resolve=resolve)

    assert answer.error.startswith("gaierror:")


def test_receiver_that_does_not_speak_tls_gets_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_client, "CONNECT_S", 0.3)
    with receiver() as found:
        answer = _post(found.url.replace("http:", "https:"))

    assert answer.error == "ConnectionError: no connection in 0.3 s"
    assert found.requests == []
