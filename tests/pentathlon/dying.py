"""Do some work and be killed by SIGKILL, when rows are written and not yet committed.

Run as `python -m tests.pentathlon.dying WORK PART`: the process kills itself in its part of that
number; with part 0 it finishes the work.
"""

import os
import signal
import sys
from collections.abc import Callable
from typing import Any, Final
from unittest.mock import patch

import django

django.setup()

# Models exist only from here on.
from pentathlon.ratings import recomputing  # noqa: E402
from pentathlon.ratings.change_rows import replace_changes  # noqa: E402
from pentathlon.tournaments import scheduling  # noqa: E402


def _dying(write: Callable[..., Any], part: int) -> Callable[..., Any]:  # Any: handed on
    """Return a function that does the same and kills its process at its n-th call."""
    calls = 0

    def write_and_die(*args: Any, **options: Any) -> Any:
        nonlocal calls
        written = write(*args, **options)
        calls += 1
        if calls == part:
            os.kill(os.getpid(), signal.SIGKILL)
        return written

    return write_and_die


def _recompute(part: int) -> None:
    dying = _dying(replace_changes, part)
    with patch.multiple(recomputing, _MOST_RESULTS=20, replace_changes=dying):
        recomputing.recompute_outdated()


def _schedule(part: int) -> None:
    dying = _dying(scheduling._store, part)
    with patch.multiple(scheduling, ROWS_AT_ONCE=240, _store=dying):
        while scheduling.make_schedules():
            pass


_WORKS: Final = {"recompute": _recompute, "schedule": _schedule}

if __name__ == "__main__":
    _WORKS[sys.argv[1]](int(sys.argv[2]))
