"""Computes win-chance curves while nothing waits to be played, or on a slot that is lent to one.

Only code of ours runs, on records from the database: no sandbox. It runs in a process of its own,
which can be ended at once when its slot is needed, and which nothing outlives: it writes a line
for each step, so it ends when nobody reads.
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
from uuid import UUID

import structlog

from pentathlon.analyses.loans import LOAN_S
from pentathlon.analyses.services import (
    LEASE_S,
    claim_analysis,
    end_loan,
    fail_analysis,
    renew_analysis,
    return_analysis,
    store_curve,
)
from pentathlon.matches.models import Match
from pentathlon_engines.record.shape import Record
from workers.drain import Drain

LOOK_S: Final = 0.5
"""Between two looks for matches that wait."""
SILENCE_S: Final = 600.0
"""A step takes a second, on a busy host a minute; after so long the process hangs."""
TOO_LONG: Final = "too_long"
COMMAND: Final = (sys.executable, "-m", "pentathlon_engines.analysis")
_AT_ONCE: Final = "0"
"""The niceness on a slot that is lent: matches wait for it, so it should be done soon."""
_STEP: Final = b'{"ply":'

_log = structlog.stdlib.get_logger(__name__)


class _Stopped(Exception):
    """The analysis has to end before it is done."""


def analyse(
    match_id: int, *, drain: Drain, is_lent: bool = False, command: Sequence[str] = COMMAND
) -> None:
    """Compute the analysis of a match and store it, or give it back when its slot is needed."""
    claimed = None if drain.is_asked else claim_analysis(match_id, is_lent=is_lent)
    if claimed is None:
        return
    token, record = claimed
    begun_at = time.monotonic()
    try:
        run = _Run(match_id, token, drain, lent_s=LOAN_S if is_lent else 0)
        _finish(run, record, [*command, _AT_ONCE] if is_lent else command)
    finally:
        if is_lent:
            end_loan(match_id=match_id, held_s=time.monotonic() - begun_at)


def _finish(run: _Run, record: Record, command: Sequence[str]) -> None:
    match_id, token = run.match_id, run.token
    log = _log.bind(match=match_id)
    try:
        answer = run.compute(record, command)
    except TimeoutError as error:
        log.warning("analysis hangs", reason=str(error))
        return_analysis(match_id=match_id, token=token, has_died=True)
    except _Stopped as stopped:
        log.info("analysis given back", reason=str(stopped))
        return_analysis(match_id=match_id, token=token)
    except BaseException:
        return_analysis(match_id=match_id, token=token, has_died=True)
        raise
    else:
        if answer is None:
            log.error("analysis died")
            return_analysis(match_id=match_id, token=token, has_died=True)
        elif "error" in answer:
            log.error("analysis failed", code=answer["error"], reason=answer.get("detail"))
            fail_analysis(match_id=match_id, token=token, error=answer["error"])
        else:
            store_curve(
                match_id=match_id, token=token, curve=answer["curve"], cpu_ms=answer["cpu_ms"]
            )


class _Run:
    """One process that computes, and who watches it."""

    def __init__(self, match_id: int, token: UUID, drain: Drain, *, lent_s: float) -> None:
        self.match_id = match_id
        self.token = token
        self._drain = drain
        now = time.monotonic()
        self._lent_until = now + lent_s
        self._heard_at = self._looked_at = self._renewed_at = now
        self._did_wait = False

    def compute(
        self, record: Record, command: Sequence[str]
    ) -> dict[str, Any] | None:  # Any: JSON
        """Return the last line of the process, None if it died; raise `_Stopped` to give way."""
        with subprocess.Popen(command, stdin=PIPE, stdout=PIPE) as process:
            try:
                with suppress(BrokenPipeError), cast("IO[bytes]", process.stdin) as stdin:
                    stdin.write(json.dumps(record).encode())
                last = self._listen(cast("IO[bytes]", process.stdout))
                if last is not None:
                    return dict(json.loads(last))
                is_spent = process.wait() == -signal.SIGXCPU
            finally:
                process.kill()
        return {"error": TOO_LONG} if is_spent else None

    def _listen(self, stdout: IO[bytes]) -> bytes | None:
        """Return the last line, as soon as it is there; None if the process ended without one."""
        with selectors.DefaultSelector() as selector:
            selector.register(stdout, selectors.EVENT_READ)
            while True:
                if selector.select(LOOK_S):
                    line = stdout.readline()
                    self._heard_at = time.monotonic()
                    if not line.startswith(_STEP):
                        return line if line.endswith(b"\n") else None
                if time.monotonic() - self._looked_at >= LOOK_S:
                    self._look()

    def _look(self) -> None:
        """Raise `_Stopped` if the slot is needed, or the analysis no longer this worker's."""
        now = self._looked_at = time.monotonic()
        if self._drain.is_asked:
            raise _Stopped("the worker was asked to stop")
        waits = now > self._lent_until and Match.objects.sent().exists()
        if waits and self._did_wait:
            # Another slot takes most matches between two looks.
            raise _Stopped("a match waits")
        self._did_wait = waits
        if now - self._renewed_at > LEASE_S / 3:
            self._renewed_at = now
            if not renew_analysis(match_id=self.match_id, token=self.token):
                raise _Stopped("another worker has it")
        if now - self._heard_at > SILENCE_S:
            raise TimeoutError(f"no word for {SILENCE_S} s")
