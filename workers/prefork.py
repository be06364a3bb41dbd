"""One process for each slot of a worker, without Celery."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from typing import Final

import structlog

from workers.drain import Drain

TOKEN_REFUSED: Final = 3
"""The exit code of a slot whose token the site refuses, and then of its worker."""
_TICK_S: Final = 0.1
_AGAIN_S: Final = 1.0
"""The wait before a slot that has crashed, or could not be started, is started again."""
_PATIENCE_S: Final = 20.0
"""How long slots may run on after the grace of a drain, before they are killed."""

_log = structlog.stdlib.get_logger(__name__)


class Prefork:
    """Keeps a process running for each slot until the worker is asked to stop."""

    def __init__(
        self, work: Callable[[int], int], *, slots: int, drain: Drain, grace_s: float
    ) -> None:
        """Prepare to call `work` with each slot's number; it returns an exit code, 0 to go on."""
        self._work = work
        self._slots = slots
        self._drain = drain
        self._grace_s = grace_s
        self._running: dict[int, int] = {}
        self._due = dict.fromkeys(range(slots), 0.0)
        self._code = 0

    def run(self) -> int:
        """Run until a signal comes, or a slot says that there is no work here."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: self._drain.ask())
        while not self._drain.is_asked:
            self._start_due()
            self._reap()
            time.sleep(_TICK_S)
        deadline = time.monotonic() + self._grace_s + _PATIENCE_S
        while self._running and time.monotonic() < deadline:
            self._reap()
            time.sleep(_TICK_S)
        for pid in self._running:
            os.kill(pid, signal.SIGKILL)
        return self._code

    def _start_due(self) -> None:
        for index, due in list(self._due.items()):
            if time.monotonic() >= due:
                del self._due[index]
                self._start(index)

    def _start(self, index: int) -> None:
        try:
            pid = os.fork()
        except OSError as error:
            # The other slots play on: a host without room may have some later.
            _log.warning("slot not started", slot=index, reason=str(error))
            self._due[index] = time.monotonic() + _AGAIN_S
            return
        if pid:
            self._running[pid] = index
            return
        code = 1
        try:
            code = self._work(index)
        except BaseException:
            _log.exception("slot crashed", slot=index)
        finally:
            # Skip the exit handlers: they belong to the parent.
            os._exit(code)

    def _reap(self) -> None:
        while self._running:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if not pid:
                return
            index = self._running.pop(pid, None)
            code = os.waitstatus_to_exitcode(status)
            if index is None:
                continue
            if code == TOKEN_REFUSED:
                self._code = code
                self._drain.ask()
            elif code:
                _log.warning("slot ended", slot=index, code=code)
            self._due[index] = time.monotonic() + (_AGAIN_S if code else 0.0)
