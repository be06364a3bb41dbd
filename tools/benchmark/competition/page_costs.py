"""The cost of pages: CPU time of this process and of the database server."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from http import HTTPStatus
from typing import Final

from django.db import connection

from tools.benchmark.load.cost import cost_of, read_page

_RUNS: Final = 25


def page_costs_s(paths: Sequence[str]) -> list[float]:
    """Return the CPU seconds of an answer of each address, read in turns without signing in."""
    for path in paths:
        if (status := read_page(path)) != HTTPStatus.OK:
            sys.exit(f"{path} answered {status}.")
    turns = [[cost_of(partial(read_page, path)).cpu_s for path in paths] for _ in range(_RUNS)]
    return [min(costs) for costs in zip(*turns, strict=True)]


def server_pids() -> list[int]:
    """Return the database server's process that works for this one, if there is a server."""
    if connection.vendor != "postgresql":
        return []
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return [int(cursor.fetchone()[0])]
