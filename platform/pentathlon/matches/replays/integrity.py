"""How a stored replay is known to be the record of its result."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from django.db.models import QuerySet

from pentathlon.core.integrity import Changes, Kept, flipped
from pentathlon.matches.replays.models import Replay
from pentathlon.matches.replays.services import read_record

_LARGEST_REPLAY_FLIPPED: Final = 4096
"""The most bytes in which a flipped bit is looked for: 32,768 tries, a second or two."""


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
