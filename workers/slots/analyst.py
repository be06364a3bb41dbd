"""Computes win-chance curves while no match waits, or on a slot that is lent for one.

It needs no sandbox, because only our own code runs, on records from the database. It runs in a
process of its own, which can be ended at once when its slot is needed. That process writes a line
for each step, so it also ends when nobody reads its output any more.
"""

from __future__ import annotations

import json
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from subprocess import PIPE
from typing import IO, Any, Final, cast

import structlog

from pentathlon.insight.analyses.jobs import (
    LOAN_S,
    LONGEST_LOAN_S,
    AnalysisJob,
    AnalysisResult,
    Row,
)
from pentathlon_engines.runner import MatchAbandoned
from workers.drain import Drain, Drained
from workers.port import Platform
from workers.slots.lease import LeaseKeeper

SILENCE_S: Final = 600.0
"""How long a process may be silent before it counts as hanging. A step takes a second, or a minute
on a busy host."""
TOO_LONG: Final = "too_long"
COMMAND: Final = (sys.executable, "-m", "pentathlon_engines.analysis")
_AT_ONCE: Final = "0"
"""The niceness on a lent slot, which should be free again soon: matches wait for it."""
_STEP: Final = b'{"measured":'
_Json = dict[str, Any]  # Any: JSON

_log = structlog.stdlib.get_logger(__name__)


def analyse(
    job: AnalysisJob, *, platform: Platform, drain: Drain, command: Sequence[str] = COMMAND
) -> None:
    """Compute an analysis and hand it in, or give it back when its slot is needed."""
    log = _log.bind(match=job.id)
    with LeaseKeeper([job], platform=platform) as lease:
        run = _Run(job, platform=platform, drain=drain, lease=lease)
        try:
            answer = run.compute([*command, _AT_ONCE] if job.is_lent else command)
        except TimeoutError as error:
            log.warning("analysis hangs", reason=str(error))
            platform.give_back(job, has_failed=True)
        except MatchAbandoned as stopped:
            log.info("analysis given back", reason=str(stopped))
            platform.give_back(job, measured=run.measured, cpu_ms=run.cpu_ms)
        except BaseException:
            platform.give_back(job, has_failed=True)
            raise
        else:
            if answer is None:
                log.error("analysis died")
                platform.give_back(job, has_failed=True)
                return
            if "error" in answer:
                log.error("analysis failed", code=answer["error"], reason=answer.pop("detail", ""))
            (refusal,) = platform.hand_in([AnalysisResult(id=job.id, token=job.token, **answer)])
            if refusal is not None:
                log.warning("analysis refused", code=refusal.code, reason=str(refusal))
                platform.give_back(job, has_failed=True)


class _Run:
    """One process that computes, and its watcher."""

    def __init__(
        self, job: AnalysisJob, *, platform: Platform, drain: Drain, lease: LeaseKeeper
    ) -> None:
        self.measured: list[Row] = [*job.measured]
        self.cpu_ms = 0
        self._job = job
        self._platform = platform
        self._drain = drain
        self._lease = lease
        self._begun_at = self._heard_at = self._looked_at = time.monotonic()
        self._did_wait = False

    def compute(self, command: Sequence[str]) -> _Json | None:
        """Return the last line of the process, None if it died; `MatchAbandoned` gives way."""
        with subprocess.Popen(command, stdin=PIPE, stdout=PIPE) as process:
            try:
                with suppress(BrokenPipeError), cast("IO[bytes]", process.stdin) as stdin:
                    asked = {"record": self._job.record, "measured": self._job.measured}
                    stdin.write(json.dumps(asked).encode())
                last = self._listen(cast("IO[bytes]", process.stdout))
                if last is not None:
                    return dict(json.loads(last))
                is_spent = process.wait() == -signal.SIGXCPU
            finally:
                process.kill()
        return {"error": TOO_LONG} if is_spent else None

    def _listen(self, stdout: IO[bytes]) -> bytes | None:
        """Wait for the last line and return it; None if the process ended without one."""
        with selectors.DefaultSelector() as selector:
            selector.register(stdout, selectors.EVENT_READ)
            while True:
                if selector.select(self._platform.look_s):
                    line = stdout.readline()
                    self._heard_at = time.monotonic()
                    if not line.startswith(_STEP):
                        return line if line.endswith(b"\n") else None
                    step = json.loads(line)
                    self.measured.append(step["measured"])
                    self.cpu_ms = step["cpu_ms"]
                if time.monotonic() - self._looked_at >= self._platform.look_s:
                    self._look()

    def _look(self) -> None:
        """Raise `MatchAbandoned` if the slot is needed or another worker has the analysis."""
        now = self._looked_at = time.monotonic()
        self._lease.note_ply(len(self.measured))
        if self._drain.is_asked:
            raise Drained("the worker was asked to stop")
        waits = not self._may_keep_slot(now) and self._platform.has_waiting_matches()
        if waits and self._did_wait:
            # Most waiting matches are taken by another slot before the second check.
            raise MatchAbandoned("a match waits")
        self._did_wait = waits
        if now - self._heard_at > SILENCE_S:
            raise TimeoutError(f"no word for {SILENCE_S} s")

    def _may_keep_slot(self, now: float) -> bool:
        """Return whether the loan lets the analysis keep its slot although matches wait.

        A loan that has measured nothing goes on for a while, or the next one would get no further.
        """
        if not self._job.is_lent:
            return False
        has_measured = len(self.measured) > len(self._job.measured)
        return now < self._begun_at + (LOAN_S if has_measured else LONGEST_LOAN_S)
