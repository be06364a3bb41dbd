"""The hashes of the log's tree, in rows of 256."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Final

from pentathlon.core.errors import Damaged
from pentathlon.matches.transparency.models import LogTile
from pentathlon_engines.transparency.merkle import node_hash

_LEVELS: Final = 8
"""Levels of the tree that a tile spans."""
_WIDTH: Final = 1 << _LEVELS
_HASH_BYTES: Final = 32


class TileDamaged(Damaged):
    """Hashes of the log's tree are not those that were stored."""

    code = "log_damaged"


class Tiles:
    """Reads subtrees from stored tiles, each tile once."""

    def __init__(self) -> None:
        self._read: dict[tuple[int, int], bytes] = {}

    def subtree(self, level: int, index: int) -> bytes:
        """Return the hash of a complete subtree.

        Raises:
            LookupError: it is not stored.
            TileDamaged: the stored hashes have changed, so that no root may be made of them.
        """
        row, height = divmod(level, _LEVELS)
        tile, place = divmod(index << height, _WIDTH)
        hashes = self._hashes(row, tile)[place : place + (1 << height)]
        if len(hashes) != 1 << height:
            raise LookupError(f"the log has no hash at level {level}, index {index}")
        return _fold(hashes)

    def _hashes(self, row: int, tile: int) -> list[bytes]:
        if (row, tile) not in self._read:
            found = LogTile.objects.filter(level=row, index=tile).first()
            self._read[row, tile] = hashes_of(found) if found else b""
        return _split(self._read[row, tile])


def hashes_of(tile: LogTile) -> bytes:
    """Return the hashes of a tile, one behind the other.

    Raises:
        TileDamaged: they have changed.
    """
    hashes = bytes(tile.hashes)
    if digest_of(hashes) != tile.digest:
        raise TileDamaged(
            f"{str(tile).capitalize()} of the log is not what was stored. The site makes it again "
            "from the receipts within the day."
        )
    return hashes


def range_of(tile: LogTile) -> range:
    """Return the indices of what a tile has the hashes of: of entries, or of tiles below it."""
    return range(tile.index * _WIDTH, (tile.index + 1) * _WIDTH)


def fold_full(tile: LogTile) -> bytes:
    """Return the hash of a whole tile; nothing if the tile is not full."""
    hashes = _split(hashes_of(tile))
    return _fold(hashes) if len(hashes) == _WIDTH else b""


def digest_of(hashes: bytes) -> str:
    """Return the digest that is stored with the hashes of a tile."""
    return hashlib.sha256(hashes).hexdigest()


def append_hashes(leaves: Sequence[bytes], *, size: int) -> None:
    """Add hashes of entries behind the first `size` ones; call it in a transaction."""
    row = 0
    while leaves:
        tile, place = divmod(size, _WIDTH)
        old = LogTile.objects.filter(level=row, index=tile)
        held = b"".join(map(hashes_of, old))[: place * _HASH_BYTES]
        hashes = [*_split(held), *leaves]
        parts = [b"".join(hashes[at : at + _WIDTH]) for at in range(0, len(hashes), _WIDTH)]
        rows = [
            LogTile(level=row, index=tile + number, hashes=part, digest=digest_of(part))
            for number, part in enumerate(parts)
        ]
        LogTile.objects.bulk_create(
            rows,
            update_conflicts=True,
            unique_fields=["level", "index"],
            update_fields=["hashes", "digest"],
        )
        full = range(0, len(hashes) - _WIDTH + 1, _WIDTH)
        leaves = [_fold(hashes[at : at + _WIDTH]) for at in full]
        row, size = row + 1, tile


def _split(data: bytes) -> list[bytes]:
    return [data[at : at + _HASH_BYTES] for at in range(0, len(data), _HASH_BYTES)]


def _fold(hashes: Sequence[bytes]) -> bytes:
    while len(hashes) > 1:
        pairs = zip(hashes[::2], hashes[1::2], strict=True)
        hashes = [node_hash(left, right) for left, right in pairs]
    return hashes[0]
