"""Processes that do something long and are killed in the middle of a transaction."""

import signal
import subprocess
import sys

from django.db import connection

from pentathlon.env import CHECKOUT, IMPORT_PATH, child_environment


def run_killed(work: str, *, part: int) -> None:
    """Do some work in a process of its own, which is killed in its part of this number."""
    assert _run(work, part) == -signal.SIGKILL


def run_whole(work: str) -> None:
    """Do some work in a process of its own, to the end."""
    assert _run(work, 0) == 0


def _run(work: str, part: int) -> int:
    environment = child_environment(
        DJANGO_SETTINGS_MODULE="pentathlon.settings",
        DATABASE_URL=_test_database(),
        PYTHONPATH=IMPORT_PATH,
    )
    command = [sys.executable, "-m", "tests.pentathlon.dying", work, str(part)]
    return subprocess.run(command, cwd=CHECKOUT, env=environment, check=False).returncode


def _test_database() -> str:
    values = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{values['NAME']}"
    return f"postgresql://{values['USER']}@/{values['NAME']}?host={values['HOST']}"
