"""Storage of replays: new ones in the database, old ones in an object store if there is one.

A result is accepted with its replay in one transaction of the database, whatever the store does.
Later the reconciler copies the replay to the store, reads it again, and only then deletes it from
the database. So a store that is away holds up no match, and every replay is complete in one of the
two places.
"""

from __future__ import annotations

import hashlib
import time
from datetime import datetime, timedelta
from typing import Any, Final

import structlog
from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import Storage, storages

from pentathlon.core.clock import database_now
from pentathlon.core.errors import Damaged, Unavailable
from pentathlon.matches.replays.models import Replay

ALIAS: Final = "replays"
"""The alias of the store in `STORAGES`."""

_AT_ONCE: Final = 100
_STEP_S: Final = 2.0
_LOOK_S: Final = 60.0
"""Seconds between two looks while there is nothing to move."""
_IN_A_FOLDER: Final = 10_000

_log = structlog.stdlib.get_logger(__name__)


class ReplayStoreAway(Unavailable):
    """The store of old replays does not answer, or does not let us in."""

    code = "replay_store_away"

    def __init__(self, match_id: int) -> None:
        super().__init__(
            f"The replay of match {match_id} is in the store of old replays, which does not "
            "answer at the moment. The result stands; try again soon."
        )


class ReplayDamaged(Damaged):
    """A replay is not what was accepted: its bytes have changed, or are gone."""

    code = "replay_damaged"

    def __init__(self, match_id: int, *, reason: str) -> None:
        super().__init__(
            f"The replay of match {match_id} cannot be read: {reason}. The result stands; the "
            "operators of this site can restore the replay from a backup."
        )
        self.match_id = match_id


def has_store() -> bool:
    """Return whether old replays move out of the database here."""
    return ALIAS in settings.STORAGES


def read_packed(replay: Replay) -> bytes:
    """Return the packed record, wherever it is.

    Raises:
        ReplayStoreAway: the store does not answer.
        ReplayDamaged: the store has other data than was put there.
    """
    return bytes(replay.data) if not replay.object_name else _fetch(replay)


def move_old_replays(*, most: int = _AT_ONCE, for_s: float = _STEP_S) -> int:
    """Move replays that are old enough to the store, oldest first; return how many were moved.

    Raises:
        ReplayStoreAway: the store does not answer; what was moved by then stays there.
        ReplayDamaged: the store returns other data than it was given.
    """
    until, moved = time.monotonic() + for_s, 0
    for replay in Replay.objects.filter(object_name="", created_at__lt=_cutoff()).order_by(
        "created_at"
    )[:most]:
        _move(replay)
        moved += 1
        if time.monotonic() > until:
            break
    return moved


def bring_back_replays(*, most: int = _AT_ONCE) -> int:
    """Put replays of the store into the database again; return how many. Objects stay there.

    Raises what `read_packed` does; what was brought back by then stays in the database.
    """
    found = list(Replay.objects.exclude(object_name="").order_by("match")[:most])
    for replay in found:
        data = read_packed(replay)
        gone = Replay.objects.filter(pk=replay.pk, object_name=replay.object_name)
        gone.update(data=data, object_name="")
    return len(found)


def as_in_database(row: dict[str, Any]) -> dict[str, Any]:  # Any: values of columns
    """Return a row of the table as it is while its replay is in the database."""
    if not row["object_name"]:
        return row
    data = read_packed(Replay(**row))
    return {**row, "data": data, "object_name": ""}


class ReplayMover:
    """Moves old replays, some at a time: a step of the reconciler."""

    def __init__(self) -> None:
        self._next_look = 0.0

    def step(self) -> int:
        """Move some old replays if there is a store; return how many, 0 if none is left."""
        if not has_store() or time.monotonic() < self._next_look:
            return 0
        moved = move_old_replays()
        if moved:
            _log.info("replays moved to the store", count=moved)
        else:
            self._next_look = time.monotonic() + _LOOK_S
        return moved


def _cutoff() -> datetime:
    return database_now() - timedelta(days=settings.REPLAY_DAYS)


def _move(replay: Replay) -> None:
    data = bytes(replay.data)
    name = _name_of(replay, data)
    try:
        kept = _store().save(name, ContentFile(data))
    except OSError as error:
        raise ReplayStoreAway(replay.match_id) from error
    moved = Replay(match_id=replay.match_id, object_name=kept)
    _fetch(moved)
    Replay.objects.filter(pk=replay.pk, object_name="").update(data=b"", object_name=kept)


def _name_of(replay: Replay, data: bytes) -> str:
    """Return a name that follows from the content: moving a replay twice changes nothing."""
    folder = replay.match_id // _IN_A_FOLDER
    return f"{folder:06}/{replay.match_id}-{hashlib.sha256(data).hexdigest()}"


def _fetch(replay: Replay) -> bytes:
    name = replay.object_name
    if not has_store():
        reason = f"object {name} is in a store, and PENTATHLON_REPLAYS is not set"
        raise ReplayDamaged(replay.match_id, reason=reason)
    try:
        with _store().open(name) as file:
            data: bytes = file.read()
    except FileNotFoundError as error:
        reason = f"object {name} of the store is not there"
        raise ReplayDamaged(replay.match_id, reason=reason) from error
    except OSError as error:
        raise ReplayStoreAway(replay.match_id) from error
    if not name.endswith(hashlib.sha256(data).hexdigest()):
        reason = f"object {name} of the store has other content"
        raise ReplayDamaged(replay.match_id, reason=reason)
    return data


def _store() -> Storage:
    return storages[ALIAS]
