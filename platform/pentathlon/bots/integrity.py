"""How a stored archive is known to have the files that were uploaded or built."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from django.db.models import QuerySet

from pentathlon.bots.archives import read_files
from pentathlon.bots.models import Archive
from pentathlon.core.integrity import Changes, Kept, flipped

_LARGEST_ARCHIVE_FLIPPED: Final = 1024
"""The most bytes in which a flipped bit is looked for: 8,192 zips to open, a second or two."""


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
