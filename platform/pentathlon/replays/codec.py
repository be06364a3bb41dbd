"""How records are kept: as canonical JSON, compressed."""

from __future__ import annotations

import json
from typing import Any, Final

import zstandard

from pentathlon_engines.record import canonical

CODEC: Final = "zstd"
_LEVEL = 19
_MOST_BYTES = 64 * 1024 * 1024


def pack(record: dict[str, Any]) -> bytes:
    """Return the record in few bytes."""
    return zstandard.ZstdCompressor(level=_LEVEL).compress(canonical(record))


def unpack(data: bytes) -> dict[str, Any]:
    """Return the record that `pack` was given."""
    text = zstandard.ZstdDecompressor().decompress(data, max_output_size=_MOST_BYTES)
    record: dict[str, Any] = json.loads(text)
    return record
