"""Messages of a stream: server-sent events, packed once for all listeners who get them."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from functools import cached_property
from typing import Final

RETRY_MS: Final = 2000
"""Milliseconds that a browser waits before it asks again."""
_LEVEL: Final = 6
_RAW: Final = -15
_GZIP_HEAD: Final = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
_LAST_BLOCK: Final = b"\x03\x00"


class StreamEvent:
    """One message, plain and packed."""

    def __init__(self, plain: bytes) -> None:
        self.plain = plain

    @cached_property
    def packed(self) -> bytes:
        """The message as a part of a packed stream, independent of the parts before it."""
        packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, _RAW)
        return packer.compress(self.plain) + packer.flush(zlib.Z_FULL_FLUSH)


class Packing:
    """The gzip stream of one listener, made of parts that all listeners share."""

    def __init__(self) -> None:
        self._checksum = 0
        self._size = 0

    def begin(self) -> bytes:
        """Return the bytes before the first part."""
        return _GZIP_HEAD

    def add(self, part: StreamEvent) -> bytes:
        """Return the next part."""
        self._checksum = zlib.crc32(part.plain, self._checksum)
        self._size += len(part.plain)
        return part.packed

    def end(self) -> bytes:
        """Return the bytes after the last part."""
        numbers = (self._checksum, self._size & 0xFFFFFFFF)
        return _LAST_BLOCK + b"".join(number.to_bytes(4, "little") for number in numbers)


def message(
    event: str = "",
    data: Mapping[str, object] | None = None,
    *,
    event_id: str = "",
    retry_ms: int | None = None,
) -> StreamEvent:
    """Return a message with these fields."""
    lines = [f"retry: {retry_ms}"] if retry_ms is not None else []
    lines += [f"id: {event_id}"] if event_id else []
    lines += [f"event: {event}"] if event else []
    # JSON has no line breaks of its own.
    lines += [f"data: {json.dumps(data)}"] if data is not None else []
    return StreamEvent("".join(f"{line}\n" for line in lines).encode() + b"\n")


HEARTBEAT: Final = StreamEvent(b": still here\n\n")
