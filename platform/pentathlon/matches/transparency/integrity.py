"""How what is logged is known to be what was logged: signatures, and hashes of hashes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Final

from django.db.models import QuerySet

from pentathlon.core.errors import Damaged
from pentathlon.core.integrity import Changes, Kept, flipped
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

_LARGEST_RECEIPT_FLIPPED: Final = 2048
"""The most bytes in which a flipped bit is looked for: 16,384 signatures, two seconds."""


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
