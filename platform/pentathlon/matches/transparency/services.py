"""Keeps the log of receipts: signed results, in a tree that only grows."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Final, cast

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings
from django.db import transaction
from django.db.models import Max, QuerySet

from pentathlon.core.arithmetic import fingerprint
from pentathlon.core.errors import Damaged, NotFound
from pentathlon.core.statements import store_rows
from pentathlon.matches.hidden_lanes import hidden_from
from pentathlon.matches.models import PRIVATE_KINDS, Match
from pentathlon.matches.replays.models import Replay
from pentathlon.matches.transparency.models import (
    LogContinuation,
    LogEntry,
    LogRoot,
    LogTile,
    SigningKey,
)
from pentathlon_engines.errors import BadNote
from pentathlon_engines.transparency.merkle import (
    leaf_hash,
    node_hash,
    prove_consistency,
    prove_inclusion,
    root_hash,
)
from pentathlon_engines.transparency.notes import (
    Checkpoint,
    Continuation,
    LogKey,
    note_of,
    read_note,
    read_note_of_any,
    write_note,
)
from pentathlon_engines.transparency.receipt import FORMAT, Receipt, write_receipt

_LEVELS: Final = 8
"""Levels of the tree that a tile spans."""
_WIDTH: Final = 1 << _LEVELS
_HASH_BYTES: Final = 32
_PURPOSE: Final = b"pentathlon receipts"
_NAME_DIGITS: Final = 16
AT_ONCE: Final = 300
"""Receipts in one transaction."""


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


def sign(text: bytes) -> bytes:
    """Return the Ed25519 signature of a text."""
    return _private_key(settings.SECRET_KEY).sign(text)


def log_key() -> LogKey:
    """Return the public key, under a name that is unique to this site's log."""
    public = _private_key(settings.SECRET_KEY).public_key().public_bytes_raw()
    return LogKey(f"pentathlon-{public.hex()[:_NAME_DIGITS]}", public)


@cache
def _private_key(secret: str) -> Ed25519PrivateKey:
    derive = HKDF(algorithm=SHA256(), length=32, salt=None, info=_PURPOSE)
    return Ed25519PrivateKey.from_private_bytes(derive.derive(secret.encode()))


class ReceiptDamaged(Damaged):
    """A line of the log is not the one that was signed."""

    code = "receipt_damaged"


@dataclass(frozen=True, slots=True)
class Inclusion:
    """The proof that a receipt is in the log."""

    index: int
    note: str
    """The receipt with its signature."""
    path: list[bytes]
    checkpoint: str
    """The signed checkpoint of the tree to which the path leads."""


def log_results() -> int:
    """Append the receipts of results that have become public; return how many.

    Validations and spot checks are nobody's results and never logged; hidden results are logged
    once they are released.
    """
    with transaction.atomic():
        found = [replay.match for replay in to_be_logged()[:AT_ONCE]]
        Replay.objects.filter(match__in=found).update(awaits_log=False)
        results = [match for match in found if match.kind not in PRIVATE_KINDS]
        if results:
            _append(results)
    return len(results)


def to_be_logged() -> QuerySet[Replay]:
    """Return the replays of public results that the log lacks, with their matches."""
    waiting = Replay.objects.filter(~hidden_from(None, match="match__"), awaits_log=True)
    return waiting.order_by("match").select_related("match").defer("data")


def publish_root(now: datetime | None = None) -> LogRoot | None:
    """Publish the root of a day once, as soon as the log has an entry; return it if it is new."""
    day = (now or datetime.now(UTC)).date()
    if LogRoot.objects.filter(day=day).exists() or not (size := log_size()):
        return None
    root, is_new = LogRoot.objects.get_or_create(
        day=day, defaults={"size": size, "note": checkpoint_at(size)}
    )
    return root if is_new else None


def log_size() -> int:
    """Return how many entries the log has."""
    last = LogEntry.objects.aggregate(last=Max("index"))["last"]
    return 0 if last is None else last + 1


def checkpoint_at(size: int, *, tiles: Tiles | None = None) -> str:
    """Return the signed checkpoint of the first `size` entries, which tells of all restores."""
    key = log_key()
    root = root_hash(size, (tiles or Tiles()).subtree)
    continued = tuple(
        Continuation(each.size, each.at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"))
        for each in LogContinuation.objects.order_by("pk")
    )
    return write_note(Checkpoint(key.name, size, root, continued).to_text(), key=key, sign=sign)


def continue_log() -> int:
    """Note that the log goes on from what a restore has brought back; return its size.

    Whoever has seen a larger log learns from the next checkpoint that entries were lost by a
    restore; without that line, another entry in the place of a lost one is a forgery.
    """
    size = log_size()
    LogContinuation.objects.create(size=size)
    return size


def inclusion_of(match: Match, *, size: int | None = None) -> Inclusion:
    """Prove that the receipt of a match is among the first `size` entries, or among all.

    Raises `NotFound`: `not_logged` if the receipt is not among them, `no_such_size` if the log is
    smaller.
    """
    size = log_size() if size is None else _check_size(size)
    entry = _entries_of(match).filter(index__lt=size).select_related("key").first()
    if entry is None:
        raise NotFound(
            f"Match {match.pk} is not among the first {size:,} entries of the log. Results are "
            "logged some seconds after they are public.",
            code="not_logged",
        )
    tiles = Tiles()
    note = signed_receipt(entry)
    if tiles.subtree(0, entry.index) != leaf_hash(entry.receipt.encode()):
        raise ReceiptDamaged(
            f"Entry {entry.index} of the log, of match {match.pk}, has another hash in the tree. "
            "The operators of this site can restore it from a backup."
        )
    path = prove_inclusion(entry.index, size, tiles.subtree)
    return Inclusion(entry.index, note, path, checkpoint_at(size, tiles=tiles))


def log_index_of(match: Match) -> int | None:
    """Return the index of a match's receipt in the log; None if it is not there."""
    return _entries_of(match).values_list("index", flat=True).first()


def consistency_of(first: int, second: int) -> list[bytes]:
    """Prove that the log of `second` entries has grown from that of `first`, which is 1 or more.

    Raises `NotFound` (`no_such_size`) if the log has never been as large, `ValueError` if `first`
    is larger than `second`.
    """
    return prove_consistency(first, _check_size(second), Tiles().subtree)


def signed_receipt(entry: LogEntry) -> str:
    """Return the receipt of an entry as a signed note.

    Raises:
        ReceiptDamaged: it is not what was signed.
    """
    try:
        key = LogKey.from_text(entry.key.text)
        note = note_of(entry.receipt, key=key, signature=bytes(entry.signature))
        read_note(note, key=key)
    except BadNote as error:
        raise ReceiptDamaged(
            f"The receipt of match {entry.match_id}, entry {entry.index} of the log, cannot be "
            f"read: {error} The result stands; the operators of this site can restore the receipt "
            "from a backup."
        ) from error
    return note


def leaf_of(entry: LogEntry) -> bytes:
    """Return the hash of an entry in the tree; raise what `signed_receipt` does."""
    signed_receipt(entry)
    return leaf_hash(entry.receipt.encode())


def demand_signed(roots: Iterable[LogRoot]) -> None:
    """Raise what `signed_root` does if one of these roots is damaged; ask for the keys once."""
    keys = known_keys()
    for root in roots:
        signed_root(root, keys=keys)


def known_keys() -> list[LogKey]:
    """Return all keys with which this site has signed, the newest first."""
    return [LogKey.from_text(key.text) for key in SigningKey.objects.order_by("-pk")]


def signed_root(root: LogRoot, *, keys: Sequence[LogKey] | None = None) -> Checkpoint:
    """Return the checkpoint of a published root.

    Raises:
        ReceiptDamaged: it is not what was signed.
    """
    try:
        told = read_note_of_any(root.note, keys=known_keys() if keys is None else keys)
        checkpoint = Checkpoint.from_text(told)
    except BadNote as error:
        raise ReceiptDamaged(
            f"The root of {root.day} cannot be read: {error} The operators of this site can "
            "restore it from a backup."
        ) from error
    if checkpoint.size != root.size:
        raise ReceiptDamaged(f"The root of {root.day} is of {checkpoint.size:,} entries.")
    return checkpoint


def _append(matches: Sequence[Match]) -> None:
    key, _ = SigningKey.objects.get_or_create(text=log_key().to_text())
    size = log_size()
    receipts = [_receipt_of(match) for match in matches]
    store_rows(
        LogEntry(
            index=size + number, match=match, receipt=text, signature=sign(text.encode()), key=key
        )
        for number, (match, text) in enumerate(zip(matches, receipts, strict=True))
    )
    append_hashes([leaf_hash(text.encode()) for text in receipts], size=size)


def _receipt_of(match: Match) -> str:
    finished_at = cast(datetime, match.finished_at)  # only finished matches have a replay
    receipt: Receipt = {
        "format": FORMAT,
        "match": match.pk,
        "game": match.game,
        "rules": match.rules_version,
        "chain": match.chain,
        "sandbox": match.sandbox,
        "finished_at": finished_at.astimezone(UTC).isoformat(timespec="milliseconds"),
    }
    if match.referee_build:
        receipt["referee_build"] = match.referee_build
        receipt["bots_build"] = match.bots_build
    if match.rated:
        receipt["arithmetic"] = fingerprint()
    return write_receipt(receipt)


def _entries_of(match: Match) -> QuerySet[LogEntry]:
    """Return the entries of a match, beginning with that of the result that counts now."""
    return LogEntry.objects.filter(match=match).order_by("-index")


def _check_size(size: int) -> int:
    if size > (largest := log_size()):
        raise NotFound(
            f"The log has {largest:,} entries, so there is no root of {size:,}.",
            code="no_such_size",
        )
    return size
