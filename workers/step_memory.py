"""Steps of the reconciler that run only if what they have read has changed.

Most steps find nothing to do twice a second, and spend nearly all of their time on Django, which
compiles the same statements anew. So the reads of a round that found nothing are kept as they were
sent to the database. The next rounds repeat them, and run the step only if an answer differs.

No notice can be lost: the database itself is asked each time. What a step takes from elsewhere,
from a clock of Python's for example, is noticed within `LOOK_ANYWAY_S`.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Any, Final

from django.db import connection

from workers.reconciler import Step

LOOK_ANYWAY_S: Final = 5.0
"""The step runs after this many seconds, whatever its reads say."""
_READS: Final = ("SELECT", "WITH")
_FRAMES: Final = ("BEGIN", "SAVEPOINT", "RELEASE SAVEPOINT")
_LOCKS: Final = re.compile(r"\s+FOR (?:NO KEY )?UPDATE\b.*\Z", re.DOTALL)
"""The end of a read that locks its rows; nothing is locked to look."""

_Read = tuple[str, Any]  # Any: parameters are Django's own
_Execute = Callable[..., Any]


class Remembered:
    """A step that repeats its last reads instead of running while they get the same answers."""

    def __init__(self, step: Step, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._step = step
        self._clock = clock
        self._reads: list[_Read] = []
        """What the step read when it last ran; empty if it found work or wrote something."""
        self._is_repeated = False
        """Whether it had read the same before: reads with a time in them, for example, differ."""
        self._answers: list[Any] | None = None  # Any: rows
        """What these reads answered before a run that found nothing."""
        self._due = 0.0

    def __call__(self) -> object:
        """Run the step unless nothing has changed; return what it returned, or None."""
        reads, self._reads = self._reads, []
        # These answers are older than the run, so that no change can fall between the two.
        answers = [_answer(read) for read in reads] if self._is_repeated else None
        if answers is not None and answers == self._answers and self._clock() < self._due:
            self._reads = reads
            return None
        self._is_repeated, self._answers = False, None
        recorder = _Recorder()
        with connection.execute_wrapper(recorder):
            found = self._step()
        self._due = self._clock() + LOOK_ANYWAY_S
        if found or recorder.has_written:
            return found
        self._reads = recorder.reads
        # Some parameters, such as JSON, equal nothing but themselves.
        self._is_repeated = bool(reads) and repr(reads) == repr(self._reads)
        self._answers = answers if self._is_repeated else None
        return found


class _Recorder:
    """Notes what goes to the database."""

    def __init__(self) -> None:
        self.reads: list[_Read] = []
        self.has_written = False

    def __call__(
        self,
        execute: _Execute,
        sql: str,
        params: Any,
        many: bool,
        context: Any,
    ) -> Any:  # Any: Django's own signature
        said = sql.lstrip().upper()
        if said.startswith(_READS):
            self.reads.append((_LOCKS.sub("", sql), params))
        elif not said.startswith(_FRAMES):
            self.has_written = True
        return execute(sql, params, many, context)


def _answer(read: _Read) -> Any:  # Any: rows
    with connection.cursor() as cursor:
        cursor.execute(*read)
        return cursor.fetchall()
