"""Records in files and on sites: reading and writing one, and saying how it ended."""

from __future__ import annotations

import zlib
from gzip import decompress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pentathlon_engines import strict_json
from pentathlon_engines.cli.client.connection import connect, split_address
from pentathlon_engines.cli.failure import (
    CHECK_FAILED,
    USAGE,
    CommandFailed,
    SiteRefused,
    cannot_write,
)
from pentathlon_engines.contract.info import ordinal
from pentathlon_engines.desk.record_files import write_record
from pentathlon_engines.errors import BadJson, BadRecord, RepeatedField
from pentathlon_engines.record.record import verify_record
from pentathlon_engines.record.shape import Record, check_shape

if TYPE_CHECKING:
    from pentathlon_engines.cli.client.http_site import Site

_NOT_FOUND: Final = "not_found"


def find_record(source: str, site: str | None) -> Any:  # Any: JSON, not verified yet
    """Return the record in a file, or that of a match by its number or address."""
    origin, number = split_address(source, "matches")
    if number is None or Path(source).exists():
        return read_record(Path(source))
    return download_record(connect(origin or site), number, again=f"pentathlon watch {source}")


def find_verified(source: str, site: str | None) -> Record:
    """Return the record in a file or of a match, or fail if it does not verify."""
    data = find_record(source, site)
    try:
        verify_record(data)
        return check_shape(data)
    except BadRecord as error:
        raise CommandFailed(
            f"{source} does not verify: {error}.",
            try_next=f"pentathlon verify {source}",
            exit_code=CHECK_FAILED,
        ) from error


def download_record(site: Site, number: int, *, again: str) -> Any:  # Any: JSON, not verified yet
    """Return the record of a match, whose chain is the one that its page shows."""
    try:
        match = site.get(f"matches/{number}/")
    except SiteRefused as error:
        if error.refusal != _NOT_FOUND:
            raise
        raise CommandFailed(
            f"{site.origin} shows you no match {number}: there is none, or it is private, which "
            "is for those who take part.",
            try_next=f"pentathlon login {site.origin}",
        ) from error
    if match["state"] != "done":
        raise CommandFailed(
            f"Match {number} is {match['state']}: only a match that is done has a record.",
            try_next=again,
            exit_code=CHECK_FAILED,
        )
    record = site.get(f"replays/{number}/")
    # A server could show one chain on its page and hand out the record of another match.
    if not isinstance(record, dict) or record.get("chain") != match["chain"]:
        raise CommandFailed(
            f"The record of match {number} has a different chain from the one its page shows.",
            try_next=f"pentathlon verify {number} --json",
            exit_code=CHECK_FAILED,
        )
    return record


def read_record(path: Path) -> Any:  # Any: JSON, not verified yet
    """Return the JSON object in a file, which may be packed with gzip."""
    try:
        data = path.read_bytes()
        record = strict_json.loads(decompress(data) if data.startswith(strict_json.GZIP) else data)
    except (OSError, EOFError, BadJson, zlib.error) as error:
        raise CommandFailed(
            f"{path} cannot be read as a record: {error}.",
            try_next="pentathlon play tuned greedy random --record match.json",
            exit_code=CHECK_FAILED if isinstance(error, RepeatedField) else USAGE,
        ) from error
    if not isinstance(record, dict):
        raise CommandFailed(
            f"{path} is not a record: it is not a JSON object.",
            try_next="pentathlon play tuned greedy random --record match.json",
        )
    return record


def write_record_file(path: Path, record: Record, *, option: str = "--record") -> None:
    """Write the record of a match, whole or not at all."""
    try:
        if not path.parent.is_dir():
            raise FileNotFoundError(2, "there is no such folder")
        write_record(path, record)
    except OSError as error:
        again = f"the same command with another {option}"
        raise cannot_write(path, error, try_next=again) from error


def describe_outcome(record: Record) -> str:
    """Return a sentence with the rank of each bot and the reason."""
    outcome = record["outcome"]
    places = [
        f"{bot['name']} (seat {seat}) {ordinal(rank)}"
        for seat, (bot, rank) in enumerate(zip(record["bots"], outcome["ranks"], strict=True))
    ]
    how = "all failed, so nobody won" if 0 not in outcome["ranks"] else f"by {outcome['reason']}"
    return f"{', '.join(places)} {how}"
