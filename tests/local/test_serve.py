"""The real web command under clients that behave badly."""

import signal
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.deep import by_turns
from tests.local.serving import Site, read_all, serving

CONNECTIONS = 200
ENDLESS = {"HEAD_S": 3600.0, "BODY_S": 3600.0, "STALL_S": 3600.0, "SLOWEST_READER": 1}
"""With these limits no client is given up, so a test that waits for that waits in vain."""
FORM = (
    b"POST /sign-in/ HTTP/1.1\r\nHost: localhost\r\nCookie: csrftoken=made-up\r\n"
    b"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000\r\n\r\nx"
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """One web process for all these tests."""
    folder = tmp_path_factory.mktemp("serve")
    with serving(folder, limits=ENDLESS) as running:
        (folder / "data/static/large.js").write_bytes(b"x" * 1_600_000)
        yield running


def statuses(site: Site) -> list[int]:
    """Ask for `/healthz` and a list; raises `TimeoutError` if an answer does not come."""
    return [site.get("/healthz").status, site.get("/api/v1/games/").status]


@pytest.mark.parametrize(
    ("is_half_closed", "sent"),
    by_turns([False, True], [(b"",), (b"GET / HTTP/1.1\r\nHo",), (FORM,)]),
)
def test_waiting_connections_keep_nobody_waiting(
    site: Site, sent: bytes, is_half_closed: bool
) -> None:
    with ExitStack() as stack:
        for _ in range(CONNECTIONS):
            client = site.raw(stack, sent)
            if is_half_closed:
                client.shutdown(socket.SHUT_WR)

        assert statuses(site) == [200, 200]


def test_connections_that_send_slowly_keep_nobody_waiting(site: Site) -> None:
    with ExitStack() as stack:
        clients = [site.raw(stack, FORM) for _ in range(CONNECTIONS)]
        for client in clients:
            client.sendall(b"x")

        assert statuses(site) == [200, 200]


@pytest.mark.parametrize(
    ("path", "connections", "asked"),
    [
        ("/api/schema/", 10, 8),
        pytest.param("/api/schema/", CONNECTIONS, 1, marks=pytest.mark.deep),
        ("/static/large.js", 10, 8),
        ("/static/large.js", CONNECTIONS, 1),
    ],
)
def test_connections_that_do_not_read_keep_nobody_waiting(
    site: Site, path: str, connections: int, asked: int
) -> None:
    one = f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with ExitStack() as stack:
        for _ in range(connections):
            site.raw(stack, one.encode() * asked)

        assert statuses(site) == [200, 200]


def test_body_for_a_stream_is_refused_unread(site: Site) -> None:
    answer = site.send("POST", "/live/anything", headers={"Content-Length": str(10**9)})

    assert answer.status == 413


def test_requests_sent_together_are_answered_in_order(site: Site) -> None:
    one = b"GET /%s HTTP/1.1\r\nHost: localhost\r\n%s\r\n"
    with ExitStack() as stack:
        client = site.raw(
            stack, one % (b"api/v1/games/", b"") + one % (b"healthz", b"Connection: close\r\n")
        )
        said = read_all(client)

    assert said.count(b"HTTP/1.1 200 OK") == 2
    assert said.endswith(b"ok\n")


def test_upload_under_way_may_end_before_the_server_stops(tmp_path: Path) -> None:
    production = {
        "PENTATHLON_MODE": "production",
        "PENTATHLON_SECRET_KEY": "x" * 50,
        "PENTATHLON_HOSTS": "localhost",
    }
    with (
        serving(tmp_path, variables=production) as site,
        ExitStack() as stack,
    ):
        head = b"POST /api/v1/bots/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n"
        client = site.raw(stack, head + b"abc")
        # This is answered only after the bytes sent before have been read.
        site.get("/healthz")
        site.process.send_signal(signal.SIGTERM)
        time.sleep(3)  # longer than it was given before
        client.sendall(b"def" * 2)

        assert read_all(client).startswith(b"HTTP/1.1 40")
