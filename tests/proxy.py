"""A TCP proxy that can hang: it keeps connections and forwards nothing."""

from __future__ import annotations

import select
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from urllib.parse import parse_qs, urlsplit

from tests.patience import PATIENCE_S

_TICK_S = 0.02

Address = str | tuple[str, int]
"""The address of what is behind the proxy: the path of a Unix socket, or host and port."""


class Proxy:
    """Forwards connections from a port of its own on this machine."""

    def __init__(self, target: Address) -> None:
        self._target = target
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._over = threading.Event()
        self._drops = threading.Event()
        self._flows = threading.Event()
        self._flows.set()
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self._threads[0].start()

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self._listener.getsockname()[1])

    def hang(self) -> None:
        """Forward nothing, but take connections and keep those that there are."""
        self._flows.clear()

    def drop(self) -> None:
        """End every connection, and each new one at once, as if nobody were there."""
        self._drops.set()
        self._flows.set()

    def resume(self) -> None:
        """Forward again, with all that was sent meanwhile on connections that are left."""
        self._drops.clear()
        self._flows.set()

    def close(self) -> None:
        """End every connection and listen no more."""
        self._over.set()
        self._flows.set()
        for thread in self._threads:
            thread.join(PATIENCE_S)
        self._listener.close()

    def _accept(self) -> None:
        while not self._over.is_set():
            if select.select([self._listener], [], [], _TICK_S)[0]:
                client, _ = self._listener.accept()
                if self._drops.is_set():
                    client.close()
                    continue
                thread = threading.Thread(target=self._serve, args=(client,), daemon=True)
                self._threads.append(thread)
                thread.start()

    def _serve(self, client: socket.socket) -> None:
        self._flows.wait()
        with client, suppress(OSError), _connected(self._target) as server:
            other = {client: server, server: client}
            while not (self._over.is_set() or self._drops.is_set()):
                for source in select.select([client, server], [], [], _TICK_S)[0]:
                    self._flows.wait()
                    sent = source.recv(65536)
                    if not sent:
                        return
                    other[source].sendall(sent)
                self._flows.wait()


@contextmanager
def proxy_for(target: Address) -> Iterator[Proxy]:
    """Give a proxy that ends with the block."""
    proxy = Proxy(target)
    try:
        yield proxy
    finally:
        proxy.close()


def server_address(url: str) -> Address:
    """Return where the PostgreSQL or Redis server of an address listens."""
    parts = urlsplit(url)
    if parts.scheme == "unix":
        return parts.path
    host = parse_qs(parts.query).get("host", [parts.hostname or ""])[0]
    if host.startswith("/"):
        return f"{host}/.s.PGSQL.{parts.port or 5432}"
    return host, parts.port or (5432 if parts.scheme.startswith("postgres") else 6379)


def _connected(target: Address) -> socket.socket:
    if isinstance(target, tuple):
        return socket.create_connection(target)
    found = socket.socket(socket.AF_UNIX)
    try:
        found.connect(target)
    except OSError:
        found.close()
        raise
    return found
