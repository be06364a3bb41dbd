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
from typing import IO, Any, Final, Protocol, cast
from uuid import UUID

import structlog

from pentathlon.insight.analyses.jobs import ClaimedAnalysis, Row
from pentathlon.insight.analyses.loans import LOAN_S, LONGEST_LOAN_S
from workers.drain import Drain

RENEW_S: Final = 20.0
"""The time between two renewals of a lease, a third of its duration."""
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


class Analyses(Protocol):
    """The analyses of the platform, as a worker sees them."""

    look_s: float
    """The time between two looks for waiting matches."""

    def claim(self, match_id: int, *, is_lent: bool) -> ClaimedAnalysis | None:
        """Take a waiting analysis; None if there is none."""

    def end_loan(self, match_id: int, *, held_s: float) -> None:
        """Return a lent slot, which was used for this many seconds."""

    def has_waiting_matches(self) -> bool:
        """Return whether a match waits for a slot."""

    def renew(self, match_id: int, token: UUID) -> bool:
        """Renew the lease of an analysis; return whether it is still this worker's."""

    def store(self, match_id: int, token: UUID, *, curve: _Json, cpu_ms: int) -> bool:
        """Hand in a curve; return whether it was still this worker's to compute."""

    def fail(self, match_id: int, token: UUID, *, error: str) -> bool:
        """Report that the curve cannot be computed; return the same."""

    def give_back(
        self,
        match_id: int,
        token: UUID,
        *,
        has_died: bool = False,
        measured: Sequence[Row] = (),
        cpu_ms: int = 0,
    ) -> bool:
        """Give it back with what was measured, for any worker to continue; return the same."""


class _Stopped(Exception):
    """The analysis has to end before it is done."""


def analyse(
    match_id: int,
    *,
    analyses: Analyses,
    drain: Drain,
    is_lent: bool = False,
    command: Sequence[str] = COMMAND,
) -> None:
    """Compute the analysis of a match and store it, or give it back when its slot is needed."""
    claimed = None if drain.is_asked else analyses.claim(match_id, is_lent=is_lent)
    if claimed is None:
        return
    begun_at = time.monotonic()
    try:
        run = _Run(match_id, claimed, analyses=analyses, drain=drain, is_lent=is_lent)
        _finish(run, [*command, _AT_ONCE] if is_lent else command)
    finally:
        if is_lent:
            analyses.end_loan(match_id, held_s=time.monotonic() - begun_at)


def _finish(run: _Run, command: Sequence[str]) -> None:
    match_id, token, analyses = run.match_id, run.token, run.analyses
    log = _log.bind(match=match_id)
    try:
        answer = run.compute(command)
    except TimeoutError as error:
        log.warning("analysis hangs", reason=str(error))
        analyses.give_back(match_id, token, has_died=True)
    except _Stopped as stopped:
        log.info("analysis given back", reason=str(stopped))
        analyses.give_back(match_id, token, measured=run.measured, cpu_ms=run.cpu_ms)
    except BaseException:
        analyses.give_back(match_id, token, has_died=True)
        raise
    else:
        if answer is None:
            log.error("analysis died")
            analyses.give_back(match_id, token, has_died=True)
        elif "error" in answer:
            log.error("analysis failed", code=answer["error"], reason=answer.get("detail"))
            analyses.fail(match_id, token, error=answer["error"])
        else:
            analyses.store(match_id, token, curve=answer["curve"], cpu_ms=answer["cpu_ms"])


class _Run:
    """One process that computes, and its watcher."""

    def __init__(
        self,
        match_id: int,
        claimed: ClaimedAnalysis,
        *,
        analyses: Analyses,
        drain: Drain,
        is_lent: bool,
    ) -> None:
        self.match_id = match_id
        self.token = claimed.token
        self.analyses = analyses
        self.measured: list[Row] = [*claimed.measured]
        self.cpu_ms = 0
        self._claimed = claimed
        self._drain = drain
        now = time.monotonic()
        self._is_lent = is_lent
        self._begun_at = now
        self._heard_at = self._looked_at = self._renewed_at = now
        self._did_wait = False

    def compute(self, command: Sequence[str]) -> _Json | None:
        """Return the last line of the process, None if it died; raise `_Stopped` to give way."""
        with subprocess.Popen(command, stdin=PIPE, stdout=PIPE) as process:
            try:
                with suppress(BrokenPipeError), cast("IO[bytes]", process.stdin) as stdin:
                    asked = {"record": self._claimed.record, "measured": self._claimed.measured}
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
                if selector.select(self.analyses.look_s):
                    line = stdout.readline()
                    self._heard_at = time.monotonic()
                    if not line.startswith(_STEP):
                        return line if line.endswith(b"\n") else None
                    step = json.loads(line)
                    self.measured.append(step["measured"])
                    self.cpu_ms = step["cpu_ms"]
                if time.monotonic() - self._looked_at >= self.analyses.look_s:
                    self._look()

    def _look(self) -> None:
        """Raise `_Stopped` if the slot is needed or another worker has the analysis."""
        now = self._looked_at = time.monotonic()
        if self._drain.is_asked:
            raise _Stopped("the worker was asked to stop")
        waits = not self._may_keep_slot(now) and self.analyses.has_waiting_matches()
        if waits and self._did_wait:
            # Most waiting matches are taken by another slot before the second check.
            raise _Stopped("a match waits")
        self._did_wait = waits
        if now - self._renewed_at > RENEW_S:
            self._renewed_at = now
            if not self.analyses.renew(self.match_id, self.token):
                raise _Stopped("another worker has it")
        if now - self._heard_at > SILENCE_S:
            raise TimeoutError(f"no word for {SILENCE_S} s")

    def _may_keep_slot(self, now: float) -> bool:
        """Return whether the loan lets the analysis keep its slot although matches wait.

        A loan that has measured nothing goes on for a while, or the next one would get no further.
        """
        if not self._is_lent:
            return False
        has_measured = len(self.measured) > len(self._claimed.measured)
        return now < self._begun_at + (LOAN_S if has_measured else LONGEST_LOAN_S)
