"""A platform under fire can be set back: the clock of its processes, and its database."""

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, Final, cast

import psycopg
import pytest

from pentathlon.env import child_environment
from pentathlon.local.servers.postgres import PostgresServer
from tools.chaos import backwards
from tools.chaos.clock import Clock
from tools.chaos.scene import Scene

_SHOWN: Final = "import datetime, time; print(time.time(), datetime.datetime.now().timestamp())"


@pytest.fixture
def clock(tmp_path: Path) -> Clock:
    clock = Clock(tmp_path)
    if not clock.make():
        pytest.skip("there is no C compiler")
    return clock


def _scene(clock: Clock, repairs: list[Callable[[], None]]) -> Scene:
    none = cast(Any, None)  # Any: these strikes reach no process
    return Scene(
        crew=none,
        disks=none,
        postgres=None,
        rng=Random(1),
        later=lambda _, repair: repairs.append(repair),
        clock=clock,
    )


def _hours_moved(clock: Clock) -> set[int]:
    """Return by how many hours a new process is off, by each way to ask for the time."""
    environment = child_environment(**clock.environment)
    command = [sys.executable, "-I", "-c", _SHOWN]
    shown = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return {round((float(each) - time.time()) / 3600) for each in shown.stdout.split()}


def test_clock_is_set_back_for_good_and_ahead_for_a_moment(clock: Clock) -> None:
    repairs: list[Callable[[], None]] = []
    scene = _scene(clock, repairs)

    assert _hours_moved(clock) == {0}
    assert backwards.set_clock_back(scene)
    assert backwards.set_clock_back(scene)
    assert _hours_moved(clock) == {-2}
    assert backwards.set_clock_ahead(scene)
    assert _hours_moved(clock) == {-1}
    repairs[0]()
    assert _hours_moved(clock) == {-2}


def test_running_process_sees_the_clock_move(clock: Clock) -> None:
    asks = "import time\nwhile input(): print(time.time(), flush=True)"
    with subprocess.Popen(
        [sys.executable, "-I", "-c", asks],
        env=child_environment(**clock.environment),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        shown = []
        for _ in range(2):
            print("now", file=process.stdin, flush=True)
            shown.append(float(cast(Any, process.stdout).readline()))
            clock.move(-3600)
        process.kill()

    assert shown[1] < shown[0]


def test_no_clock_is_struck_where_there_is_no_compiler(tmp_path: Path) -> None:
    clock = Clock(tmp_path)

    assert clock.environment == {}
    assert not backwards.set_clock_back(_scene(clock, []))


def test_database_comes_back_as_it_was_and_says_so_in_its_log(tmp_path: Path) -> None:
    server = PostgresServer(tmp_path)
    try:
        server.create()
        with psycopg.connect(server.url, autocommit=True) as before:
            before.execute("CREATE TABLE matches_logentry (index bigint)")
            before.execute("CREATE TABLE matches_logcontinuation (size bigint)")
            before.execute("INSERT INTO matches_logentry VALUES (0), (1)")
            backwards.back_up(server)  # cuts everybody off
        with psycopg.connect(server.url, autocommit=True) as lost:
            lost.execute("INSERT INTO matches_logentry VALUES (2)")
            backwards.restore(server)
        with psycopg.connect(server.url) as after:
            entries = after.execute("SELECT max(index) FROM matches_logentry").fetchone()
            signed = after.execute("SELECT size FROM matches_logcontinuation").fetchall()
    finally:
        server.stop()

    assert (entries, signed) == ((1,), [(2,)])
