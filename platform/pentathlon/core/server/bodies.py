"""Reads the body of a request on asyncio, within the time and size that its address allows."""

import asyncio
import threading
from http import HTTPStatus
from tempfile import SpooledTemporaryFile
from typing import IO, cast

from pentathlon.core.server.limits import ANSWERS_ON_DISK, BODIES_ON_DISK, IN_MEMORY, Allowance
from pentathlon.core.server.protocol import Receive, Refused, Scope


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


class ClientGone(Exception):
    """Nobody is left to answer."""


async def read_body(scope: Scope, receive: Receive, *, allowed: Allowance, into: Spool) -> None:
    """Read a body to its end.

    Raises:
        Refused: it is too large (413) or does not come in time (408).
        ClientGone: the client has closed the connection.
    """
    _check_size(_announced(scope), allowed)
    try:
        async with asyncio.timeout(allowed.body_s):
            await _read(receive, allowed, into)
    except TimeoutError as error:
        raise Refused(
            HTTPStatus.REQUEST_TIMEOUT,
            "too_slow",
            f"The body did not arrive within {allowed.body_s:g} seconds.",
            headers=(("Connection", "close"),),
        ) from error
    into.rewind()


async def _read(receive: Receive, allowed: Allowance, into: Spool) -> None:
    is_over = False
    while not is_over:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientGone
        data = message.get("body", b"")
        _check_size(into.size + len(data), allowed)
        if data:
            into.write(data)
        is_over = not message.get("more_body", False)


def _announced(scope: Scope) -> int:
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit():
            return int(value)
    return 0


def _check_size(size: int, allowed: Allowance) -> None:
    if size > allowed.largest_body:
        raise Refused(
            HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
            "too_large",
            f"The request has {size:,} bytes or more; {allowed.largest_body:,} are allowed.",
        )
