"""Checks the receipt of a match in a site's log, and that the log has only grown.

What a site has shown before is kept: its keys and its newest checkpoint. So a site that changes
its history shows it to everybody who has verified a match there once.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NoReturn

import platformdirs

from pentathlon_engines.cli.client.connection import write_private
from pentathlon_engines.cli.client.http_site import Site
from pentathlon_engines.cli.failure import CHECK_FAILED, HOST_OR_SERVER, CommandFailed, SiteRefused
from pentathlon_engines.commentary.words import count
from pentathlon_engines.errors import BadNote
from pentathlon_engines.record.shape import Record
from pentathlon_engines.transparency.merkle import is_consistent, is_included, leaf_hash
from pentathlon_engines.transparency.notes import Checkpoint, LogKey, read_note_of_any
from pentathlon_engines.transparency.receipt import read_receipt

_FOLDER: Final = "pentathlon"
_FILE: Final = "logs.json"
_NOT_LOGGED: Final = "not_logged"


@dataclass(frozen=True, slots=True)
class Logged:
    """A match's entry in the log; without an index it is not there yet."""

    index: int | None
    size: int
    earlier: int | None = None
    """The size of the log when this machine last saw it; None if it never did."""
    new_key: str | None = None
    """A key that this machine sees for the first time; None if there is none."""
    restored: str | None = None
    """What the site says of a restore that has lost entries seen before; None without one."""

    def to_text(self) -> str:
        """Return the result in one line."""
        if self.index is None:
            return (
                "the receipt is not in the log yet; results are logged some seconds "
                "after a match ends"
            )
        grown = f", grown from the {self.earlier:,} seen before" if self.earlier else ""
        if self.restored:
            grown = f". {self.restored}"
        noted = f"; noted the site's key {self.new_key}" if self.new_key else ""
        return f"signed receipt {self.index:,} of {self.size:,}{grown}{noted}"

    def to_json(self) -> dict[str, Any]:  # Any: JSON
        """Return the result as JSON."""
        return {
            "index": self.index,
            "size": self.size,
            "grown_from": self.earlier,
            "new_key": self.new_key,
            "restored": self.restored,
        }


@dataclass(frozen=True, slots=True)
class _Seen:
    """The keys and the checkpoint that a site showed before."""

    keys: tuple[str, ...] = ()
    checkpoint: str = ""


def check_receipt(site: Site, number: int, record: Record) -> Logged:
    """Check that the site's log holds this record as that of the match.

    Raises `CommandFailed` (exit code 1) if receipt, signature or proof are not right, or if the
    log has not grown from what this machine has seen of it.
    """
    path = f"matches/{number}/inclusion/"
    try:
        proof = site.get(path)
    except SiteRefused as error:
        if error.refusal != _NOT_LOGGED:
            raise
        return Logged(None, site.get("log/")["size"])
    seen = _load(site.origin)
    keys = _keys(site, seen, [proof["note"], proof["checkpoint"]])
    try:
        receipt_text = read_note_of_any(proof["note"], keys=keys)
        receipt = read_receipt(receipt_text)
        checkpoint = Checkpoint.from_text(read_note_of_any(proof["checkpoint"], keys=keys))
    except BadNote as error:
        _fail(site, number, str(error))
    if (receipt["match"], receipt["chain"]) != (number, record["chain"]):
        _fail(site, number, "the receipt is for another record.")
    if not is_included(
        leaf_hash(receipt_text.encode()),
        index=proof["index"],
        size=checkpoint.size,
        path=_hashes(proof["path"]),
        root=checkpoint.root,
    ):
        _fail(site, number, "the signed log does not contain the receipt.")
    earlier, restore = _check_growth(site, number, checkpoint, seen, keys)
    new = [key.to_text() for key in keys if key.to_text() not in seen.keys]
    _save(site.origin, _Seen(tuple(key.to_text() for key in keys), proof["checkpoint"]))
    return Logged(proof["index"], checkpoint.size, earlier, new[0] if new else None, restore)


def _keys(site: Site, seen: _Seen, notes: Sequence[str]) -> list[LogKey]:
    """Return the known keys, and those that the site shows if the known ones do not suffice."""
    known = [LogKey.from_text(each) for each in seen.keys]
    if all(any(f"— {key.name} " in note for key in known) for note in notes):
        return known
    try:
        shown = dict.fromkeys([*site.get("log/")["keys"], *seen.keys])
        return [LogKey.from_text(each) for each in shown]
    except BadNote as error:
        raise CommandFailed(
            f"{site.origin} shows a key that is not valid: {error}",
            try_next=f"pentathlon --help  # or tell those who run {site.origin}",
            exit_code=CHECK_FAILED,
        ) from error


def _check_growth(
    site: Site, number: int, now: Checkpoint, seen: _Seen, keys: Iterable[LogKey]
) -> tuple[int | None, str | None]:
    """Return how large the log was before, and what a restore has lost of it."""
    if not seen.checkpoint:
        return None, None
    before = Checkpoint.from_text(read_note_of_any(seen.checkpoint, keys=keys))
    if restore := before.lost_by(now):
        return None, restore.to_sentence(before.size)
    if before.size > now.size:
        _fail(site, number, f"the log had {count(before.size, 'entry')} before, now {now.size:,}.")
    sizes = {"first": before.size, "second": now.size}
    path = [] if before.size == now.size else site.get("log/consistency/", **sizes)["path"]
    if not is_consistent(**sizes, roots=(before.root, now.root), path=_hashes(path)):
        _fail(site, number, f"the first {before.size:,} entries of the log have changed.")
    return before.size, None


def _hashes(path: Iterable[str]) -> list[bytes]:
    try:
        return [bytes.fromhex(each) for each in path]
    except (TypeError, ValueError):
        return [b""]


def _fail(site: Site, number: int, reason: str) -> NoReturn:
    raise CommandFailed(
        f"The log of {site.origin} does not prove match {number}: {reason}",
        try_next=f"pentathlon verify {number} --json",
        exit_code=CHECK_FAILED,
    )


def logs_path() -> Path:
    """Return the path of the file with the checkpoints that sites have shown."""
    return platformdirs.user_state_path(_FOLDER) / _FILE


def _read_all() -> dict[str, Any]:  # Any: JSON
    try:
        told = json.loads(logs_path().read_bytes())
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise CommandFailed(
            f"{logs_path()}, which remembers what sites have signed, cannot be read: {error}.",
            try_next=f"mv {logs_path()} {logs_path()}.old",
            exit_code=HOST_OR_SERVER,
        ) from error
    return told if isinstance(told, dict) else {}


def _load(origin: str) -> _Seen:
    told: Mapping[str, Any] = _read_all().get(origin, {})  # Any: JSON
    return _Seen(tuple(told.get("keys", ())), told.get("checkpoint", ""))


def _save(origin: str, seen: _Seen) -> None:
    told = {**_read_all(), origin: {"keys": list(seen.keys), "checkpoint": seen.checkpoint}}
    write_private(
        logs_path(),
        json.dumps(told, indent=2, ensure_ascii=False),
        try_next="XDG_STATE_HOME names another folder",
    )
