"""Downloads a dataset part by part, keeping the parts that are already complete."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from pentathlon_engines.cli.client.http_site import Site
from pentathlon_engines.cli.failure import CHECK_FAILED, CommandFailed
from pentathlon_engines.cli.output.streams import is_terminal, say, show_on_one_line
from pentathlon_engines.dataset.folder import LINES, SUMS, digest_of, pack_lines
from pentathlon_engines.dataset.rows import VERSION
from pentathlon_engines.desk.record_files import write_whole

Json = dict[str, Any]  # Any: JSON


def download_dataset(site: Site, row: Json, to: Path, *, formats: Collection[str]) -> Json:
    """Download one dataset of a list, in formats by suffix, into its own folder.

    Returns a summary.

    Raises:
        CommandFailed: a part does not have the hash that it should have, or the dataset is of a
            newer schema.
    """
    if row["schema_version"] > VERSION:
        raise CommandFailed(
            f"Dataset {row['id']} has schema version {row['schema_version']}; this pentathlon "
            f"knows {VERSION}.",
            try_next=f"the install command on {site.page('kit/')}",
        )
    folder = to / f"dataset-{row['id']}"
    sums = site.download(f"datasets/{row['id']}/SHA256SUMS")
    if digest_of(sums) != row["sha256"]:
        raise _changed(f"{SUMS} of dataset {row['id']}")
    parts = [part for part in _read_sums(sums) if Path(part[0]).suffix in formats]
    for done, (name, digest) in enumerate(parts, start=1):
        if not _is_right(folder, name, digest):
            table, _, number = Path(name).stem.partition("-")
            suffix = Path(name).suffix
            content = site.download(f"datasets/{row['id']}/{table}/{int(number)}{suffix}")
            if digest_of(content) != digest:
                raise _changed(f"{name} of dataset {row['id']}")
            _write_part(folder, name, content)
        if is_terminal():
            show_on_one_line(f"dataset {row['id']}: {done} of {len(parts)} parts")
    # This file comes last: a folder that has it is complete.
    write_whole(folder / SUMS, sums)
    return {
        "folder": str(folder),
        **{name: row[name] for name in ("id", "matches", "decisions", "sha256")},
    }


def _read_sums(sums: bytes) -> Iterator[tuple[str, str]]:
    for line in sums.decode().splitlines():
        digest, _, name = line.partition("  ")
        yield Path(name).name, digest


def _write_part(folder: Path, name: str, content: bytes) -> None:
    """Write lines packed, anything else as it is."""
    if name.endswith(LINES):
        write_whole(folder / f"{name}.gz", pack_lines(content))
    else:
        write_whole(folder / name, content)


def _is_right(folder: Path, name: str, digest: str) -> bool:
    try:
        if name.endswith(LINES):
            return digest_of(gzip.decompress((folder / f"{name}.gz").read_bytes())) == digest
        return digest_of((folder / name).read_bytes()) == digest
    except (OSError, EOFError, zlib.error):
        return False


def _changed(what: str) -> CommandFailed:
    say("Earlier downloads are kept.")
    return CommandFailed(
        f"{what} does not have its hash: it was changed on the way.",
        try_next="the same command again",
        exit_code=CHECK_FAILED,
    )
