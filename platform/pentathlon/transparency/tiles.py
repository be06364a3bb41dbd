"""The hashes of the log's tree, in rows of 256."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pentathlon.transparency.models import LogTile
from pentathlon_engines.transparency.merkle import node_hash

_LEVELS: Final = 8
"""Levels of the tree that a tile spans."""
_WIDTH: Final = 1 << _LEVELS
_HASH_BYTES: Final = 32


class Tiles:
    """Reads subtrees from stored tiles, each tile once."""

    def __init__(self) -> None:
        self._read: dict[tuple[int, int], bytes] = {}

    def subtree(self, level: int, index: int) -> bytes:
        """Return the hash of a complete subtree; raise `LookupError` if it is not stored."""
        row, height = divmod(level, _LEVELS)
        tile, place = divmod(index << height, _WIDTH)
        hashes = self._hashes(row, tile)[place : place + (1 << height)]
        if len(hashes) != 1 << height:
            raise LookupError(f"the log has no hash at level {level}, index {index}")
        return _fold(hashes)

    def _hashes(self, row: int, tile: int) -> list[bytes]:
        if (row, tile) not in self._read:
            found = LogTile.objects.filter(level=row, index=tile).first()
            self._read[row, tile] = bytes(found.hashes) if found else b""
        data = self._read[row, tile]
        return [data[at : at + _HASH_BYTES] for at in range(0, len(data), _HASH_BYTES)]


def append_hashes(leaves: Sequence[bytes], *, size: int) -> None:
    """Add hashes of entries behind the first `size` ones; call it in a transaction."""
    row = 0
    while leaves:
        tile, place = divmod(size, _WIDTH)
        old = LogTile.objects.filter(level=row, index=tile).values_list("hashes", flat=True)
        held = b"".join(map(bytes, old))[: place * _HASH_BYTES]
        hashes = [held[at : at + _HASH_BYTES] for at in range(0, len(held), _HASH_BYTES)]
        hashes += leaves
        rows = [
            LogTile(level=row, index=tile + number, hashes=b"".join(hashes[at : at + _WIDTH]))
            for number, at in enumerate(range(0, len(hashes), _WIDTH))
        ]
        LogTile.objects.bulk_create(
            rows,
            update_conflicts=True,
            unique_fields=["level", "index"],
            update_fields=["hashes"],
        )
        full = range(0, len(hashes) - _WIDTH + 1, _WIDTH)
        leaves = [_fold(hashes[at : at + _WIDTH]) for at in full]
        row, size = row + 1, tile


def _fold(hashes: Sequence[bytes]) -> bytes:
    while len(hashes) > 1:
        pairs = zip(hashes[::2], hashes[1::2], strict=True)
        hashes = [node_hash(left, right) for left, right in pairs]
    return hashes[0]
