"""What pages cost: CPU of this process and of the database server, whatever else runs here."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from http import HTTPStatus
from typing import Final

from django.db import connection
from django.test import Client

from tools.benchmark.meter import cpu_s_of

_RUNS: Final = 25


def page_costs_s(paths: Sequence[str]) -> list[float]:
    """Return the CPU seconds of an answer of each address, read in turns by nobody signed in."""
    own: list[list[float]] = [[] for _ in paths]
    served = [0.0 for _ in paths]
    server = server_pids()
    for _ in range(_RUNS):
        for index, path in enumerate(paths):
            before, server_before = time.process_time(), cpu_s_of(server)
            answer = Client(headers={"host": "localhost"}).get(path)
            own[index].append(time.process_time() - before)
            served[index] += cpu_s_of(server) - server_before
            if answer.status_code != HTTPStatus.OK:
                sys.exit(f"{path} answered {answer.status_code}.")
    # The server's clock ticks too seldom for one page.
    return [min(costs) + total / _RUNS for costs, total in zip(own, served, strict=True)]


def server_pids() -> list[int]:
    """Return the process of the server that works for this one, if there is a server."""
    if connection.vendor != "postgresql":
        return []
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return [int(cursor.fetchone()[0])]
