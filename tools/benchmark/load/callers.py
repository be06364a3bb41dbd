"""Clients of the API that keep their connections, and the times of their answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from http import HTTPStatus
from http.client import HTTPConnection, HTTPResponse
from statistics import quantiles
from time import perf_counter
from typing import Final, TypeVar

from tools.benchmark.load.sites import HOST

T = TypeVar("T")
R = TypeVar("R")

CLIENTS: Final = 4
"""The number of clients at the same time, for each site."""
_WARM_UP: Final = 2
_PATIENCE_S: Final = 120


@dataclass(slots=True)
class Latencies:
    """The seconds that answers of one kind took; each client asks one after the other."""

    seconds: list[float] = field(default_factory=list)

    def percentile_ms(self, percent: int) -> float:
        """Return the milliseconds within which this percentage of requests is answered."""
        return 1000 * quantiles(self.seconds, n=100, method="inclusive")[percent - 1]

    @property
    def per_s(self) -> float:
        """The number of answers per second that all clients got together."""
        return CLIENTS * len(self.seconds) / sum(self.seconds)


class CallFailed(Exception):
    """An answer other than a success."""

    def __init__(self, path: str, status: int, body: bytes) -> None:
        super().__init__(f"{path} answered {status}: {body[:300]!r}")


def call_in_turns(
    ports: Mapping[str, int], path: str, *, requests: int, number: int
) -> dict[str, Latencies]:
    """Ask every site for the same address in turns; return how long each took.

    So other work on a busy machine disturbs all sites alike. Each `number` of an address, and each
    client, comes from a network address of its own, because rates are counted by network address.
    """

    def call(client: int) -> dict[str, list[float]]:
        source = f"127.0.{1 + number}.{1 + client}"
        found: dict[str, list[float]] = {name: [] for name in ports}
        with ExitStack() as ends:
            lines = {
                name: ends.enter_context(closing(_line(port, source)))
                for name, port in ports.items()
            }
            for turn in range(_WARM_UP + requests // CLIENTS):
                for name in sorted(ports, reverse=bool(turn % 2)):
                    before = perf_counter()
                    send(lines[name], "GET", path)
                    found[name].append(perf_counter() - before)
        return {name: seconds[_WARM_UP:] for name, seconds in found.items()}

    parts = at_once([*range(CLIENTS)], call)
    return {name: Latencies([each for part in parts for each in part[name]]) for name in ports}


def at_once(things: Sequence[T], work: Callable[[T], R]) -> list[R]:
    """Do the same work with all things, each in a thread of its own."""
    with ThreadPoolExecutor(len(things)) as pool:
        return list(pool.map(work, things))


def send(
    line: HTTPConnection,
    method: str,
    path: str,
    *,
    body: bytes | None = None,
    headers: Mapping[str, str] | None = None,
) -> bytes:
    """Send a request and return the whole answer; raise `CallFailed` if it is not a success.

    A server closes a connection that is silent for some seconds, which happens on a busy machine.
    A request that only reads is then repeated on a new connection.
    """

    def ask() -> HTTPResponse:
        line.request(method, path, body=body, headers={"Host": "localhost", **(headers or {})})
        return line.getresponse()

    try:
        answer = ask()
    except ConnectionError:
        if method != "GET":
            raise
        line.close()
        answer = ask()
    content = answer.read()
    if answer.status >= HTTPStatus.BAD_REQUEST:
        raise CallFailed(path, answer.status, content)
    return content


def _line(port: int, source: str) -> HTTPConnection:
    return HTTPConnection(HOST, port, timeout=_PATIENCE_S, source_address=(source, 0))
