"""An upper bound for whatever a browser test waits for, also for calls that have none themselves.

Most of Playwright's calls give up after a while. `evaluate`, keys and closing a page do not: where
a page is stuck they wait for ever, and so does a database that somebody has locked.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from playwright.sync_api import Browser


class TookTooLong(Exception):
    """A test waited too long; its traceback shows for what."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"gave up after {seconds:g} s; the traceback shows what it waited for")


@contextmanager
def bounded(seconds: float, browser: Browser | None) -> Iterator[None]:
    """Raise `TookTooLong` from the call that waits after so long; the browser stays of use."""

    def give_up(_number: int, _frame: FrameType | None) -> None:
        calls = _waiting_calls(browser)
        if not calls:
            raise TookTooLong(seconds)
        # An exception would end Playwright's loop, and every later call would wait for it.
        for call in calls:
            call.get_loop().call_soon_threadsafe(call.cancel)

    before = signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    except asyncio.CancelledError as error:
        raise TookTooLong(seconds) from error
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _waiting_calls(browser: Browser | None) -> list[asyncio.Task[object]]:
    """Return the calls of Playwright that have not returned; it marks them itself."""
    if browser is None:
        return []
    return [task for task in asyncio.all_tasks(browser._loop) if hasattr(task, "__pw_stack__")]
