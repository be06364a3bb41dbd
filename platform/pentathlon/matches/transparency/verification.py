"""Checks that the log has not changed, and that results agree with it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pentathlon.core.errors import Damaged
from pentathlon.matches.replays.models import Replay
from pentathlon.matches.replays.services import read_record
from pentathlon.matches.replays.store import ReplayDamaged
from pentathlon.matches.transparency.models import LogEntry, LogRoot
from pentathlon.matches.transparency.services import (
    ReceiptDamaged,
    TileDamaged,
    Tiles,
    checkpoint_at,
    known_keys,
    log_size,
    signed_receipt,
    signed_root,
)
from pentathlon_engines.commentary.words import count
from pentathlon_engines.errors import BadNote
from pentathlon_engines.transparency.merkle import (
    is_consistent,
    leaf_hash,
    prove_consistency,
    root_hash,
)
from pentathlon_engines.transparency.notes import Checkpoint, LogKey, read_note, read_note_of_any
from pentathlon_engines.transparency.receipt import read_receipt

_AT_ONCE: Final = 500


def log_differences(*, replays: bool = True) -> Iterator[str]:
    """Yield a sentence for each difference between the log and what is stored.

    Every entry is read: its place, its signature, its hash in the tree and, unless `replays` is
    False, the record of its match, whose chain is computed again. Then every published root is
    checked.
    """
    size = log_size()
    tiles = Tiles()
    for first in range(0, size, _AT_ONCE):
        part = LogEntry.objects.filter(index__gte=first, index__lt=first + _AT_ONCE)
        related = part.select_related("key", *(["match__replay"] if replays else []))
        entries = {entry.index: entry for entry in related}
        for index in range(first, min(first + _AT_ONCE, size)):
            entry = entries.get(index)
            if entry is None:
                yield f"entry {index} is missing"
            else:
                yield from _entry_differences(entry, tiles, has_replay=replays)
    yield from _root_differences(size, tiles)


def growth_difference(noted: str) -> str | None:
    """Return why the log has not grown from a checkpoint that somebody noted; None if it has.

    What a restore has lost is no difference, see `restore_since`.

    Raises `BadNote` if this site has not signed it.
    """
    checkpoint = _read_checkpoint(noted)
    size, tiles = log_size(), Tiles()
    if restore_since(noted) is not None:
        return None
    if checkpoint.size > size:
        has = f"the log has {count(size, 'entry')}"
        return f"{has}, fewer than the {checkpoint.size:,} that were noted"
    if not checkpoint.size:
        return None
    path = prove_consistency(checkpoint.size, size, tiles.subtree)
    roots = (checkpoint.root, root_hash(size, tiles.subtree))
    if is_consistent(first=checkpoint.size, second=size, roots=roots, path=path):
        return None
    return f"the log has not grown from the {checkpoint.size:,} entries that were noted"


def restore_since(noted: str) -> str | None:
    """Tell which entries of a checkpoint a restore has lost since; None if it lost none.

    Raises `BadNote` if this site has not signed the checkpoint.
    """
    checkpoint = _read_checkpoint(noted)
    restore = checkpoint.lost_by(_read_checkpoint(checkpoint_at(log_size())))
    return None if restore is None else restore.to_sentence(checkpoint.size)


def _entry_differences(entry: LogEntry, tiles: Tiles, *, has_replay: bool) -> Iterator[str]:
    try:
        text = read_note(signed_receipt(entry), key=LogKey.from_text(entry.key.text))
        receipt = read_receipt(text)
    except (BadNote, ReceiptDamaged) as error:
        yield f"entry {entry.index}, match {entry.match_id}: {error}"
        return
    if receipt["match"] != entry.match_id:
        yield f"entry {entry.index}: the receipt is of match {receipt['match']}"
    if _stored(tiles, entry.index) != leaf_hash(text.encode()):
        yield f"entry {entry.index}: the tree has another hash"
    if has_replay:
        yield from _record_differences(entry, receipt["chain"])


def _record_differences(entry: LogEntry, expected: str) -> Iterator[str]:
    try:
        record = read_record(entry.match.replay)
    except (Replay.DoesNotExist, ReplayDamaged) as error:
        yield f"entry {entry.index}, match {entry.match_id}: {error}"
        return
    if record["chain"] != expected:
        yield f"entry {entry.index}: the record of match {entry.match_id} has another chain"


def _root_differences(size: int, tiles: Tiles) -> Iterator[str]:
    for root in LogRoot.objects.order_by("day"):
        try:
            checkpoint = signed_root(root)
            if root.size > size:
                yield f"root of {root.day}: the log has no {checkpoint.size:,} entries"
            elif root_hash(root.size, tiles.subtree) != checkpoint.root:
                yield f"root of {root.day}: the first {root.size:,} entries have changed"
        except Damaged as error:
            yield f"root of {root.day}: {error}"


def _stored(tiles: Tiles, index: int) -> bytes | None:
    try:
        return tiles.subtree(0, index)
    except (LookupError, TileDamaged):
        return None


def _read_checkpoint(note: str) -> Checkpoint:
    return Checkpoint.from_text(read_note_of_any(note, keys=known_keys()))
