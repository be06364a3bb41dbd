"""Bodies and answers in transit: in memory while small, otherwise in a temporary file."""

import threading
from tempfile import SpooledTemporaryFile
from typing import IO, cast

from pentathlon.core.server.limits import ANSWERS_ON_DISK, BODIES_ON_DISK, IN_MEMORY


class NoRoom(Exception):
    """The temporary files together have reached the allowed size."""

    code = "busy"


class Room:
    """The space that temporary files of one kind may take in this process."""

    def __init__(self, most: int) -> None:
        self._most = most
        self.taken = 0
        self._lock = threading.Lock()

    def take(self, size: int) -> None:
        with self._lock:
            if self.taken + size > self._most:
                raise NoRoom
            self.taken += size

    def give_back(self, size: int) -> None:
        with self._lock:
            self.taken -= size


BODIES = Room(BODIES_ON_DISK)
ANSWERS = Room(ANSWERS_ON_DISK)


class Spool:
    """A file that is written once, then read from its start."""

    def __init__(self, room: Room) -> None:
        self._room = room
        # Cast: it is a file in all but its declared type. Closed by `close`.
        self.file = cast(IO[bytes], SpooledTemporaryFile(max_size=IN_MEMORY))  # noqa: SIM115
        self.size = 0
        self._on_disk = 0

    def write(self, data: bytes) -> None:
        """Add to the end.

        Raises:
            NoRoom: there are too many large ones already, or the disk is full.
        """
        self.size += len(data)
        if self.size > IN_MEMORY:
            self._room.take(self.size - self._on_disk)
            self._on_disk = self.size
        try:
            self.file.write(data)
        except OSError as error:
            raise NoRoom from error

    def rewind(self) -> None:
        """Begin to read."""
        self.file.seek(0)

    def close(self) -> None:
        """Close the file and give back its space."""
        self.file.close()
        self._room.give_back(self._on_disk)
        self._on_disk = 0
