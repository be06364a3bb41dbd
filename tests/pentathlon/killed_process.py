"""Processes that do something long and are killed in the middle of a transaction."""

import atexit
import json
import signal
import subprocess
import sys
from functools import cache

from django.db import connection

from pentathlon.env import CHECKOUT, IMPORT_PATH, child_environment


def run_killed(work: str, *, part: int) -> None:
    """Do some work in a process of its own, which is killed in its part of this number."""
    assert _run(work, part) == -signal.SIGKILL


def run_whole(work: str) -> None:
    """Do some work in a process of its own, to the end."""
    assert _run(work, 0) == 0


def _run(work: str, part: int) -> int:
    starter = _starter(_test_database())
    assert starter.stdin is not None
    assert starter.stdout is not None
    starter.stdin.write(json.dumps([work, part]) + "\n")
    starter.stdin.flush()
    return int(starter.stdout.readline())


@cache
def _starter(database: str) -> subprocess.Popen[str]:
    """Start what starts the others, until the tests end; it has no connection of its own."""
    starter = subprocess.Popen(
        [sys.executable, "-m", "tests.pentathlon.dying"],
        cwd=CHECKOUT,
        env=child_environment(
            DJANGO_SETTINGS_MODULE="pentathlon.settings",
            DATABASE_URL=database,
            PYTHONPATH=IMPORT_PATH,
        ),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    atexit.register(starter.communicate)
    return starter


def _test_database() -> str:
    values = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{values['NAME']}"
    return f"postgresql://{values['USER']}@/{values['NAME']}?host={values['HOST']}"
