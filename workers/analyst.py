"""Computes win-chance curves while nothing waits to be played.

Only code of ours runs, on records from the database: no sandbox. It runs in a process of its own,
which can be ended at once when a match waits, and which nothing outlives: it writes a line for
each step, so it ends when nobody reads.
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

from pentathlon.analyses.services import (
    LEASE_S,
    claim_analysis,
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
_STEP: Final = b'{"ply":'

_log = structlog.stdlib.get_logger(__name__)


class _Stopped(Exception):
    """The analysis has to end before it is done."""


def analyse(match_id: int, *, drain: Drain, command: Sequence[str] = COMMAND) -> None:
    """Compute the analysis of a match and store it, or give it back when matches wait."""
    claimed = None if drain.is_asked else claim_analysis(match_id)
    if claimed is None:
        return
    token, record = claimed
    log = _log.bind(match=match_id)
    try:
        answer = _Run(match_id, token, drain).compute(record, command)
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

    def __init__(self, match_id: int, token: UUID, drain: Drain) -> None:
        self._match_id = match_id
        self._token = token
        self._drain = drain
        now = time.monotonic()
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
        waits = Match.objects.sent().exists()
        if waits and self._did_wait:
            # Another slot takes most matches between two looks.
            raise _Stopped("a match waits")
        self._did_wait = waits
        if now - self._renewed_at > LEASE_S / 3:
            self._renewed_at = now
            if not renew_analysis(match_id=self._match_id, token=self._token):
                raise _Stopped("another worker has it")
        if now - self._heard_at > SILENCE_S:
            raise TimeoutError(f"no word for {SILENCE_S} s")
