"""Receivers of webhooks on this machine, kind and hostile, for tests."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from pentathlon.accounts.models import User
from pentathlon.webhooks.event_types import EVENT_TYPES
from pentathlon.webhooks.models import WebhookEndpoint
from pentathlon.webhooks.services import create_endpoint
from tests.factories import make_user
from tests.patience import PATIENCE_S

SITE = "http://testserver"
Reply = Callable[[socket.socket], None]


@dataclass
class Received:
    """One request as it came in."""

    head: str
    body: bytes

    @property
    def headers(self) -> dict[str, str]:
        """Its headers, by names in small letters."""
        lines = self.head.split("\r\n")[1:]
        return {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}


@dataclass
class Receiver:
    """A server on a port of its own; it notes what it is sent."""

    url: str
    requests: list[Received] = field(default_factory=list)
    connections: int = 0


def answering(status: str = "204 No Content", *, body: bytes = b"", headers: str = "") -> Reply:
    """Return a reply with a status, headers (each line ends with CR LF) and a body."""
    text = f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n{headers}\r\n".encode() + body
    return lambda connection: connection.sendall(text)


def dripping(connection: socket.socket) -> None:
    """Send one byte after the other, forever."""
    connection.sendall(b"HTTP/1.1 200 OK\r\nX: ")
    while True:
        connection.sendall(b"x")
        time.sleep(0.02)


def flooding(connection: socket.socket) -> None:
    """Send headers without an end."""
    connection.sendall(b"HTTP/1.1 200 OK\r\n")
    while True:
        connection.sendall(b"X: " + b"x" * 1000 + b"\r\n")


def hanging(connection: socket.socket) -> None:
    """Say nothing until the other side goes."""
    connection.settimeout(PATIENCE_S)
    connection.recv(1)


@contextmanager
def receiver(reply: Reply | None = None, *, host: str = "127.0.0.1") -> Iterator[Receiver]:
    """Run a receiver with this reply to every request."""
    answer = reply or answering()
    with socket.create_server((host, 0)) as server:
        port = server.getsockname()[1]
        found = Receiver(url=f"http://{host}:{port}/hook?a=1")
        threading.Thread(target=_serve, args=(server, found, answer), daemon=True).start()
        try:
            yield found
        finally:
            # Otherwise the thread that waits for connections would accept one more.
            server.shutdown(socket.SHUT_RDWR)


def _serve(server: socket.socket, found: Receiver, reply: Reply) -> None:
    while True:
        try:
            connection, _ = server.accept()
        except OSError:
            return
        found.connections += 1
        threading.Thread(target=_answer, args=(connection, found, reply), daemon=True).start()


def _answer(connection: socket.socket, found: Receiver, reply: Reply) -> None:
    with connection:
        connection.settimeout(PATIENCE_S)
        try:
            found.requests.append(_read(connection))
            reply(connection)
        except OSError:
            return


def _read(connection: socket.socket) -> Received:
    data = b""
    while b"\r\n\r\n" not in data:
        part = connection.recv(65536)
        if not part:
            raise ConnectionError
        data += part
    head, _, body = data.partition(b"\r\n\r\n")
    received = Received(head=head.decode(), body=body)
    while len(received.body) < int(received.headers["content-length"]):
        received.body += connection.recv(65536)
    return received


def make_endpoint(
    owner: User | None = None, *, url: str = "http://127.0.0.1:9/", events: list[str] | None = None
) -> WebhookEndpoint:
    """Return a webhook, for all events if not said."""
    endpoint, _ = create_endpoint(
        actor=owner or make_user(), url=url, events=events or list(EVENT_TYPES), site=SITE
    )
    return endpoint
