"""A worker takes hints from a broker with the right certificate and tells no other anything."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from kombu import Connection, Consumer, Exchange, Queue
from kombu.exceptions import OperationalError
from redis import Redis

from pentathlon.env import read_environment
from pentathlon.fleet.announcements import PLAY_MATCHES
from pentathlon.fleet.hints import messages
from pentathlon.fleet.queues import MATCHES, WORKER, broker
from pentathlon.local.servers.runtime import runtime_folder
from pentathlon.local.servers.valkey import running_valkey
from tests.patience import PATIENCE_S
from tests.ports import unused_port
from tests.tls import make_certificate, tls_to
from tools.worker_broker import broker_options, worker_broker
from workers.hint_transport import TakingTransport


@pytest.fixture
def plain_url() -> Iterator[str]:
    """Give the address, without TLS, of a broker in which a hint waits."""
    url = worker_broker(unused_port())
    with runtime_folder() as folder, running_valkey(folder, *broker_options(url)) as whole:
        (made,) = messages([(PLAY_MATCHES, [3, 4], {})])
        with Redis.from_url(whole) as owner:
            owner.lpush(MATCHES, json.dumps(made["message"]))
        yield url


def take(url: str) -> object:
    """Take a hint as a worker does that has this address; return the ids of matches."""
    variables = {"PENTATHLON_SERVER": "https://site", "PENTATHLON_WORKER_BROKER": url}
    (address, _), options, tls = broker(read_environment(variables))
    taken: list[object] = []
    with Connection(address, ssl=tls or False, transport_options=options) as connection:
        connection.transport_cls = TakingTransport  # type: ignore[assignment]  # or a class
        queue = Queue(MATCHES, Exchange(MATCHES), routing_key=MATCHES)
        with Consumer(connection, [queue], no_ack=True) as consumer:
            consumer.register_callback(lambda body, message: taken.extend(body[0][0]))
            connection.drain_events(timeout=PATIENCE_S)
    return taken


@pytest.mark.parametrize(
    ("host", "is_known"), [("localhost", True), ("localhost", False), ("elsewhere", True)]
)
def test_broker_is_believed_by_its_certificate(
    plain_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, host: str, is_known: bool
) -> None:
    certificate = make_certificate(tmp_path / "own.pem", host=host)
    known = certificate if is_known else make_certificate(tmp_path / "other.pem")
    monkeypatch.setenv("SSL_CERT_FILE", str(known))
    parts = urlsplit(plain_url)

    with tls_to(int(parts.port or 0), certificate=certificate) as port:
        url = f"rediss://{WORKER}:{parts.password}@localhost:{port}/0"
        if host == "localhost" and is_known:
            assert take(url) == [3, 4]
            return
        with pytest.raises(OperationalError, match="certificate verify failed"):
            take(url)
