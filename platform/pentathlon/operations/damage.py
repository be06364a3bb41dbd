"""Finds stored things that have changed where they are stored, and mends those it can.

Disks and memories flip bits. Whatever is stored with its hash, chain or signature is checked by
that when it is read; what nobody reads is checked here, again and again, some of it at a time. A
single flipped bit is found by trying all of them: only one fits. Anything else is put back from a
backup (`manage.py mend BACKUP`).
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from copy import copy
from typing import Any, ClassVar, Final, Generic, TypeVar

import structlog
from django.db.models import QuerySet
from django.db.models.functions import Now

from pentathlon.bots.archives import read_files
from pentathlon.bots.models import Archive
from pentathlon.core.errors import Damaged, Unavailable
from pentathlon.core.models import Damageable
from pentathlon.matches.replays.models import Replay
from pentathlon.matches.replays.services import read_record
from pentathlon.matches.transparency.models import LogEntry, LogRoot, LogTile
from pentathlon.matches.transparency.services import (
    digest_of,
    fold_full,
    hashes_of,
    leaf_of,
    range_of,
    signed_receipt,
    signed_root,
)

_AT_ONCE: Final = 100
_BLOBS_AT_ONCE: Final = 16
"""Rows in memory at a time; an uploaded archive has up to 16 MB."""
_STEP_S: Final = 0.2
_PAUSE_S: Final = 10.0
"""Seconds between two parts: scrubbing takes a fiftieth of one core at most."""

Row = TypeVar("Row", bound=Damageable)
Changes = Mapping[str, Any]  # Any: values of columns

_log = structlog.stdlib.get_logger(__name__)
_LARGEST_ARCHIVE_FLIPPED: Final = 1024
"""The most bytes in which a flipped bit is looked for: 8,192 zips to open, a second or two."""
_LARGEST_REPLAY_FLIPPED: Final = 4096
"""The most bytes in which a flipped bit is looked for: 32,768 tries, a second or two."""
_LARGEST_RECEIPT_FLIPPED: Final = 2048
"""The most bytes in which a flipped bit is looked for: 16,384 signatures, two seconds."""


class Kept(ABC, Generic[Row]):
    """A kind of stored thing by which its own content can be known."""

    noun: ClassVar[str]

    @abstractmethod
    def rows(self) -> QuerySet[Row]:
        """Return all rows, with whatever `read` needs."""

    @abstractmethod
    def read(self, row: Row) -> object:
        """Read a row as every door does.

        Raises:
            Damaged: it is not what was stored.
        """

    @abstractmethod
    def mends(self, row: Row) -> Iterator[Changes]:
        """Yield changes of a damaged row that may mend it: its bits, or what others know of it."""

    @abstractmethod
    def content_of(self, row: Row) -> Changes:
        """Return the columns that a backup puts back."""

    def scrubbed(self) -> QuerySet[Row]:
        """Return the rows that are read again and again: those whose content is in them."""
        return self.rows()

    def is_sound(self, row: Row) -> bool:
        """Return whether a row is what was stored, mended if need be; note what is not."""
        error = self._error_of(row)
        if error is None:
            if row.damaged_at is not None:
                self._note(row, damaged_at=None)
            return True
        if any(self.take(row, changes) for changes in self.mends(row)):
            _log.warning("mended", what=self.noun, key=row.pk)
            return True
        if row.damaged_at is None:
            self._note(row, damaged_at=Now())
            _log.error("damaged", what=self.noun, key=row.pk, reason=str(error))
        return False

    def damaged(self) -> Iterator[tuple[Row, Damaged]]:
        """Read every row, wherever its content is; yield each that is damaged, and how.

        Raises:
            Unavailable: the place where it is does not answer.
        """
        for row in self.rows().order_by("pk").iterator(_BLOBS_AT_ONCE):
            try:
                self.read(row)
            except Damaged as error:
                yield row, error

    def mend_from(self, backed_up: Iterable[Row], damaged: Iterable[Row]) -> set[object]:
        """Put back the content of damaged rows from a backup's; return the keys of the mended.

        A row that is not what was stored either changes nothing.
        """
        rows = {row.pk: row for row in damaged}
        return {
            each.pk
            for each in backed_up
            if each.pk in rows and self.take(rows[each.pk], self.content_of(each))
        }

    def take(self, row: Row, changes: Changes) -> bool:
        """Store changes of a row if they mend it; return whether they do."""
        return self._fits(row, changes) and self._note(row, **changes, damaged_at=None)

    def _fits(self, row: Row, changes: Changes) -> bool:
        changed = copy(row)
        for name, value in changes.items():
            setattr(changed, name, value)
        return self._error_of(changed) is None

    def _error_of(self, row: Row) -> Damaged | None:
        try:
            self.read(row)
        except Damaged as error:
            return error
        except Unavailable:
            return None
        return None

    def _note(self, row: Row, **changes: object) -> bool:
        same = self.content_of(row)
        return bool(self.rows().filter(pk=row.pk, **same).update(**changes))


class Scrubber:
    """Reads all that is kept, in turn: a step of the reconciler."""

    def __init__(self, kinds: Sequence[Kept[Any]], *, pause_s: float = _PAUSE_S) -> None:
        """Any: kinds of different rows."""
        self._kinds = kinds
        self._place: tuple[int, object] = (0, None)
        self._pause_s = pause_s
        self._due = 0.0

    def step(self, *, for_s: float = _STEP_S) -> int:
        """Check some rows; return how many are damaged and could not be mended."""
        if time.monotonic() < self._due:
            return 0
        deadline = time.monotonic() + for_s
        left = 0
        number, after = self._place
        kind = self._kinds[number]
        rows = kind.scrubbed() if after is None else kind.scrubbed().filter(pk__gt=after)
        due = list(rows.order_by("pk").values_list("pk", flat=True)[:_AT_ONCE])
        for at, pk in enumerate(due, 1):
            row = kind.scrubbed().filter(pk=pk).first()
            left += row is not None and not kind.is_sound(row)
            if time.monotonic() > deadline or at == _AT_ONCE:
                self._place = (number, pk)
                break
        else:
            self._place = ((number + 1) % len(self._kinds), None)
        self._due = time.monotonic() + self._pause_s
        return left


def flipped(data: bytes, *, most: int) -> Iterator[bytes]:
    """Yield the data with each of its bits changed; nothing if it has more than `most` bytes."""
    for place, byte in enumerate(data if len(data) <= most else b""):
        for bit in range(8):
            yield data[:place] + bytes((byte ^ 1 << bit,)) + data[place + 1 :]


class KeptArchives(Kept[Archive]):
    """Archives, known by the hash of their files; those of deleted accounts have none."""

    noun = "archive"

    def rows(self) -> QuerySet[Archive]:
        """Return the archives that have files."""
        return Archive.objects.exclude(files=0)

    def read(self, row: Archive) -> object:
        """Read the files."""
        return read_files(row)

    def mends(self, row: Archive) -> Iterator[Changes]:
        """Yield the zip with each of its bits changed."""
        for data in flipped(bytes(row.data), most=_LARGEST_ARCHIVE_FLIPPED):
            yield {"data": data}

    def content_of(self, row: Archive) -> Changes:
        """Return the zip."""
        return {"data": row.data}


class KeptReplays(Kept[Replay]):
    """Replays, known by the chain of the result.

    Objects in a store are checked by their names whenever they are read; stores scrub by
    themselves.
    """

    noun = "replay"

    def rows(self) -> QuerySet[Replay]:
        """Return all replays with their matches."""
        return Replay.objects.select_related("match")

    def scrubbed(self) -> QuerySet[Replay]:
        """Return the replays in the database."""
        return self.rows().filter(object_name="")

    def read(self, row: Replay) -> object:
        """Read the record."""
        return read_record(row)

    def mends(self, row: Replay) -> Iterator[Changes]:
        """Yield the data with each of its bits changed."""
        if not row.object_name:
            for data in flipped(bytes(row.data), most=_LARGEST_REPLAY_FLIPPED):
                yield {"data": data}

    def content_of(self, row: Replay) -> Changes:
        """Return the packed record, and where it is."""
        return {"codec": row.codec, "data": row.data, "object_name": row.object_name}


class KeptReceipts(Kept[LogEntry]):
    """Receipts, known by their signatures."""

    noun = "receipt"

    def rows(self) -> QuerySet[LogEntry]:
        """Return the entries of the log with their keys."""
        return LogEntry.objects.select_related("key")

    def read(self, row: LogEntry) -> object:
        """Read the receipt."""
        return signed_receipt(row)

    def mends(self, row: LogEntry) -> Iterator[Changes]:
        """Yield receipt and signature with each of their bits changed."""
        for data in flipped(row.receipt.encode(), most=_LARGEST_RECEIPT_FLIPPED):
            if (text := data.decode(errors="ignore")).encode() == data:
                yield {"receipt": text}
        for data in flipped(bytes(row.signature), most=_LARGEST_RECEIPT_FLIPPED):
            yield {"signature": data}

    def content_of(self, row: LogEntry) -> Changes:
        """Return the receipt and its signature."""
        return {"receipt": row.receipt, "signature": row.signature}


class KeptTiles(Kept[LogTile]):
    """Hashes of the tree, known by their digest; receipts give them again."""

    noun = "tile of the log"

    def rows(self) -> QuerySet[LogTile]:
        """Return all tiles."""
        return LogTile.objects.all()

    def read(self, row: LogTile) -> object:
        """Read the hashes."""
        return hashes_of(row)

    def mends(self, row: LogTile) -> Iterator[Changes]:
        """Yield the hashes that follow from the signed receipts, or from the tiles below."""
        with suppress(Damaged):  # those come first
            if row.level:
                below = LogTile.objects.filter(level=row.level - 1, index__in=range_of(row))
                parts = [fold_full(each) for each in below.order_by("index")]
            else:
                entries = KeptReceipts().rows().filter(index__in=range_of(row)).order_by("index")
                parts = [leaf_of(each) for each in entries]
            hashes = b"".join(parts)
            yield {"hashes": hashes, "digest": digest_of(hashes)}

    def content_of(self, row: LogTile) -> Changes:
        """Return the hashes and their digest."""
        return {"hashes": row.hashes, "digest": row.digest}


class KeptRoots(Kept[LogRoot]):
    """Published roots, known by their signatures."""

    noun = "root of the log"

    def rows(self) -> QuerySet[LogRoot]:
        """Return the published roots."""
        return LogRoot.objects.all()

    def read(self, row: LogRoot) -> object:
        """Read the checkpoint."""
        return signed_root(row)

    def mends(self, row: LogRoot) -> Iterator[Changes]:
        """Yield the note with each of its bits changed."""
        for data in flipped(row.note.encode(), most=_LARGEST_RECEIPT_FLIPPED):
            if (text := data.decode(errors="ignore")).encode() == data:
                yield {"note": text}

    def content_of(self, row: LogRoot) -> Changes:
        """Return the signed checkpoint."""
        return {"note": row.note, "size": row.size}


KINDS: Final[Sequence[Kept[Any]]] = (
    KeptReplays(),
    KeptArchives(),
    KeptReceipts(),
    KeptTiles(),
    KeptRoots(),
)
"""Any: kinds of different rows."""
