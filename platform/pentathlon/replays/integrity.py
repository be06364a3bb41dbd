"""Finds replays that have changed where they are stored, and mends those it can.

Disks and memories flip bits. What a page serves is checked when it is read (`read_record`); what
nobody reads is checked here, again and again, some replays at a time. A single flipped bit is
found by trying all of them: only one gives the chain of the result. Anything else is taken from a
backup (`manage.py mend_replays BACKUP`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from typing import Final

import structlog
from django.db.models.functions import Now

from pentathlon.common.errors import Unavailable
from pentathlon.replays.models import Replay
from pentathlon.replays.services import intact_record, read_record
from pentathlon.replays.store import ReplayDamaged

_AT_ONCE: Final = 100
_STEP_S: Final = 0.2
_PAUSE_S: Final = 10.0
"""Seconds between two parts: scrubbing takes a fiftieth of one core at most."""
_MOST_FLIPPED: Final = 4096
"""The most bytes in which a flipped bit is looked for: 32,768 tries, a second or two."""

_log = structlog.stdlib.get_logger(__name__)


class Scrubber:
    """Reads all replays of the database in turn: a step of the reconciler.

    Objects in a store are checked by their names whenever they are read; stores scrub by
    themselves, and `manage.py replays --check` reads them all.
    """

    def __init__(self, *, pause_s: float = _PAUSE_S) -> None:
        self._after = 0
        self._pause_s = pause_s
        self._due = 0.0

    def step(self, *, for_s: float = _STEP_S) -> int:
        """Check some replays; return how many are damaged and could not be mended."""
        if time.monotonic() < self._due:
            return 0
        deadline = time.monotonic() + for_s
        left = 0
        replays = list(
            Replay.objects.filter(object_name="", match__gt=self._after)
            .select_related("match")
            .order_by("match")[:_AT_ONCE]
        )
        self._after = 0
        for replay in replays:
            self._after = replay.match_id
            left += not is_sound(replay)
            if time.monotonic() > deadline:
                break
        self._due = time.monotonic() + self._pause_s
        return left


def is_sound(replay: Replay) -> bool:
    """Return whether a replay of the database is the record of its result, mended if need be."""
    if _is_intact(replay, bytes(replay.data)):
        if replay.damaged_at is not None:
            _note(replay, damaged_at=None)
        return True
    mended = next(
        (each for each in _flipped(bytes(replay.data)) if _is_intact(replay, each)), None
    )
    if mended is not None:
        _note(replay, data=mended, damaged_at=None)
        _log.warning("replay mended: one bit had changed", match=replay.match_id)
        return True
    if replay.damaged_at is None:
        _note(replay, damaged_at=Now())
        _log.error("replay damaged", match=replay.match_id)
    return False


def damaged_replays(tell: Callable[[int], object] = lambda _: None) -> Iterator[ReplayDamaged]:
    """Read every replay, wherever it is; yield the error of each that is damaged.

    Raises:
        ReplayStoreAway: the store does not answer.
    """
    replays = Replay.objects.select_related("match").order_by("match").iterator(_AT_ONCE)
    for number, replay in enumerate(replays, 1):
        try:
            read_record(replay)
        except ReplayDamaged as error:
            yield error
        tell(number)


def mend_from(rows: Iterable[Replay]) -> int:
    """Put back the bytes of damaged replays from rows of a backup; return how many were mended.

    A row that does not have the record of the result either changes nothing.
    """
    damaged = {
        replay.pk: replay
        for replay in Replay.objects.select_related("match").iterator(_AT_ONCE)
        if _is_damaged(replay)
    }
    mended = 0
    for row in rows:
        replay = damaged.get(row.pk)
        if replay is None:
            continue
        replay.codec = row.codec
        if _is_intact(replay, bytes(row.data)):
            _note(replay, codec=row.codec, data=bytes(row.data), object_name="", damaged_at=None)
            mended += 1
    return mended


def _is_damaged(replay: Replay) -> bool:
    try:
        read_record(replay)
    except ReplayDamaged:
        return True
    except Unavailable:
        return False
    return False


def _is_intact(replay: Replay, data: bytes) -> bool:
    return intact_record(data, codec=replay.codec, chain=replay.match.chain) is not None


def _flipped(data: bytes) -> Iterator[bytes]:
    """Yield the data with each of its bits changed; nothing if it is too long for that."""
    if len(data) > _MOST_FLIPPED:
        return
    for place, byte in enumerate(data):
        for bit in range(8):
            yield data[:place] + bytes((byte ^ 1 << bit,)) + data[place + 1 :]


def _note(replay: Replay, **changes: object) -> None:
    Replay.objects.filter(pk=replay.pk, object_name=replay.object_name).update(**changes)
