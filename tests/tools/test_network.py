"""The network that `manage.py chaos` puts between a worker and the server, and spoils."""

import socket
import socketserver
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from pentathlon.local.servers import processes
from tests.patience import PATIENCE_S
from tests.ports import unused_port
from tools.chaos.network import Condition, Network

_HOST = "127.0.0.1"
_SILENCE_S = 0.5


@dataclass
class Server:
    """Answers each line with the same line, and remembers what it has heard."""

    port: int
    heard: list[bytes] = field(default_factory=list)


@pytest.fixture
def server() -> Iterator[Server]:
    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            for line in self.rfile:
                found.heard.append(line)
                self.wfile.write(line)

    with socketserver.ThreadingTCPServer((_HOST, 0), Handler) as listening:
        listening.daemon_threads = True
        found = Server(port=listening.server_address[1])
        threading.Thread(target=listening.serve_forever, daemon=True).start()
        yield found
        listening.shutdown()


@pytest.fixture
def network(server: Server, tmp_path: Path) -> Iterator[Network]:
    made = Network(port=unused_port(), server_port=server.port, orders=tmp_path / "orders")
    with (tmp_path / "network.log").open("wb") as log:
        process = processes.start(made.service().command, output=log)
    try:
        _wait_for(made)
        yield made
    finally:
        processes.stop(process)


def _wait_for(network: Network) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        try:
            connect(network).close()
        except ConnectionError:
            time.sleep(0.02)
        else:
            return
    raise TimeoutError("The network does not listen.")


def connect(network: Network) -> socket.socket:
    """Open a connection that waits as long as a patient worker does."""
    return socket.create_connection((_HOST, network.port), timeout=PATIENCE_S)


def say(line: socket.socket, words: bytes) -> bytes:
    """Send a line and return the answer."""
    line.sendall(words)
    return line.recv(100)


def is_silent(line: socket.socket) -> bool:
    """Return whether nothing comes for a while, on a connection that stays open."""
    line.settimeout(_SILENCE_S)
    with pytest.raises(TimeoutError):
        line.recv(100)
    return True


def test_whole_network_carries_both_ways(network: Network) -> None:
    with connect(network) as line:
        assert say(line, b"one\n") == b"one\n"


def test_cut_network_resets_what_is_open_and_what_comes(network: Network) -> None:
    with connect(network) as line:
        say(line, b"one\n")

        network.become(Condition.CUT)

        with pytest.raises(ConnectionError):
            _read_to_end(line)
    with connect(network) as other, pytest.raises(ConnectionError):
        _read_to_end(other)


def _read_to_end(line: socket.socket) -> None:
    if not line.recv(100):
        raise ConnectionError("The other end has closed.")


def test_network_that_is_mended_carries_new_connections(network: Network) -> None:
    network.become(Condition.CUT)
    network.become(Condition.WHOLE)

    with connect(network) as line:
        assert say(line, b"two\n") == b"two\n"


def test_slow_network_carries_late(network: Network) -> None:
    network.become(Condition.SLOW)
    began = time.monotonic()

    with connect(network) as line:
        assert say(line, b"late\n") == b"late\n"

    assert time.monotonic() - began >= 2 * 1.5


def test_lost_answer_is_heard_and_never_told(network: Network, server: Server) -> None:
    with connect(network) as line:
        say(line, b"one\n")
        network.become(Condition.LOSES_ANSWERS)

        line.sendall(b"two\n")

        assert is_silent(line)
    assert server.heard == [b"one\n", b"two\n"]


def test_lost_request_is_never_heard(network: Network, server: Server) -> None:
    network.become(Condition.LOSES_REQUESTS)
    with connect(network) as line:
        line.sendall(b"one\n")

        assert is_silent(line)
    assert server.heard == []


def test_half_open_connection_stays_dead_when_the_network_is_mended(
    network: Network, server: Server
) -> None:
    with connect(network) as line:
        say(line, b"one\n")
        network.become(Condition.LOSES_ANSWERS)
        line.sendall(b"two\n")
        assert is_silent(line)

        network.become(Condition.WHOLE)
        line.sendall(b"three\n")

        assert is_silent(line)


def test_server_that_is_away_is_a_reset(network: Network, server: Server, tmp_path: Path) -> None:
    unused = Network(port=unused_port(), server_port=unused_port(), orders=tmp_path / "other")
    with (tmp_path / "other.log").open("wb") as log:
        process = processes.start(unused.service().command, output=log)
    try:
        _wait_for(unused)
        with connect(unused) as line, pytest.raises(ConnectionError):
            _read_to_end(line)
    finally:
        processes.stop(process)
