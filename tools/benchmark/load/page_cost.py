"""The cost of some work: elapsed time, and CPU time of this process and of its database server."""

import sys
import time
from collections.abc import Callable
from http import HTTPStatus
from pathlib import Path
from typing import Final, NamedTuple

from django.db import connection
from django.test import Client

HEADERS: Final = {"host": "localhost", "accept-encoding": "gzip"}

_client = Client(headers=HEADERS)
"""One client for all requests: the first request of each client loads all middleware."""

Work = Callable[[], object]


class Cost(NamedTuple):
    """The cost of some work in seconds."""

    wall_s: float
    cpu_s: float
    """On PostgreSQL, without the processes that help with large queries."""


def cost_of(work: Work) -> Cost:
    """Do some work once; return what it cost."""
    wall, cpu = time.perf_counter(), _cpu_s()
    work()
    return Cost(time.perf_counter() - wall, _cpu_s() - cpu)


def least_cost(work: Work, *, runs: int, warm_up: int = 0) -> Cost:
    """Return the least seconds of several runs, those least disturbed by other programs."""
    costs = [cost_of(work) for _ in range(warm_up + runs)][warm_up:]
    return Cost(min(cost.wall_s for cost in costs), min(cost.cpu_s for cost in costs))


def read_page(path: str) -> HTTPStatus:
    """Read a whole answer without signing in; end the process if the server is at fault."""
    _client.cookies.clear()
    answer = _client.get(path)
    content = answer.getvalue() if answer.streaming else answer.content
    if answer.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR:
        sys.exit(f"{path} answered {answer.status_code}: {content[:200]!r}")
    return HTTPStatus(answer.status_code)


def _cpu_s() -> float:
    return time.process_time() + _database_s()


def _database_s() -> float:
    """Return the CPU seconds of the database's own process; 0 on SQLite, which has none."""
    if connection.vendor != "postgresql":
        return 0.0
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (pid,) = cursor.fetchone()
    nanoseconds = Path(f"/proc/{pid}/schedstat").read_text().split()[0]
    return int(nanoseconds) / 1e9
