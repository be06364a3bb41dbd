"""Downloads a dataset part by part, keeping the parts that are already complete."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from pentathlon_engines.cli.client.http_site import Site
from pentathlon_engines.cli.failure import CHECK_FAILED, CommandFailed
from pentathlon_engines.cli.output.streams import is_terminal, say, show_on_one_line
from pentathlon_engines.dataset.folder import SUMS, digest_of, pack_lines
from pentathlon_engines.dataset.schema import VERSION
from pentathlon_engines.desk.record_files import write_whole

Json = dict[str, Any]  # Any: JSON

_SUFFIX: Final = ".ndjson"


def download_dataset(site: Site, row: Json, to: Path) -> Json:
    """Download one dataset of a list into its own folder; return a summary.

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
    parts = list(_read_sums(sums))
    for done, (name, digest) in enumerate(parts, start=1):
        path = folder / f"{name}.gz"
        if not _is_right(path, digest):
            table, _, number = name.removesuffix(_SUFFIX).partition("-")
            lines = site.download(f"datasets/{row['id']}/{table}/{int(number)}{_SUFFIX}")
            if digest_of(lines) != digest:
                raise _changed(f"{name} of dataset {row['id']}")
            write_whole(path, pack_lines(lines))
        if is_terminal():
            show_on_one_line(f"dataset {row['id']}: {done} of {len(parts)} parts")
    # Last: with it, a folder is whole.
    write_whole(folder / SUMS, sums)
    return {
        "folder": str(folder),
        **{name: row[name] for name in ("id", "matches", "decisions", "sha256")},
    }


def _read_sums(sums: bytes) -> Iterator[tuple[str, str]]:
    for line in sums.decode().splitlines():
        digest, _, name = line.partition("  ")
        yield Path(name).name, digest


def _is_right(path: Path, digest: str) -> bool:
    try:
        return digest_of(gzip.decompress(path.read_bytes())) == digest
    except (OSError, EOFError, zlib.error):
        return False


def _changed(what: str) -> CommandFailed:
    say("Earlier downloads are kept.")
    return CommandFailed(
        f"{what} does not have its hash: it was changed on the way.",
        try_next="the same command again",
        exit_code=CHECK_FAILED,
    )
