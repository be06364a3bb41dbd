"""A folder of datasets on a machine: one folder for each dataset, its parts as packed lines.

tuned-data/README.md, schema.json            the card and the schema
tuned-data/dataset-7/SHA256SUMS              the parts and their hashes
tuned-data/dataset-7/decisions-00001.ndjson.gz
tuned-data/dataset-7/decisions-00001.parquet  if Parquet was asked for
tuned-data/dataset-7/matches-00001.ndjson.gz
tuned-data/dataset-7/matches-00001.parquet
"""

import gzip
import hashlib
import json
from collections.abc import Iterable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import Final

from pentathlon_engines.dataset.rows import (
    DECISIONS,
    MATCHES,
    TABLES,
    Row,
    Source,
    decision_rows,
    match_row,
    schema,
)
from pentathlon_engines.desk.record_files import write_whole
from pentathlon_engines.record.record import canonical
from pentathlon_engines.record.shape import Record

SUMS: Final = "SHA256SUMS"
LINES: Final = ".ndjson"
PARQUET: Final = ".parquet"
LEVEL: Final = 6
_MATCHES_IN_PART: Final = 500


def part_name(table: str, number: int) -> str:
    """Return the file name of a part of a table; parts count from 1.

    >>> part_name("decisions", 3)
    'decisions-00003.ndjson.gz'
    """
    return f"{table}-{number:05}{LINES}.gz"


def parquet_name(table: str, number: int) -> str:
    """Return the file name of a part of a table as Parquet.

    >>> parquet_name("decisions", 3)
    'decisions-00003.parquet'
    """
    return f"{table}-{number:05}{PARQUET}"


def lines_of(rows: Iterable[Row]) -> bytes:
    """Return rows as lines of canonical JSON."""
    return b"".join(canonical(row) + b"\n" for row in rows)


def pack_lines(lines: bytes) -> bytes:
    """Return lines packed by gzip; equal lines give equal bytes."""
    return gzip.compress(lines, LEVEL, mtime=0)


def digest_of(content: bytes) -> str:
    """Return the SHA-256 of a part: of its lines before they are packed, or of its Parquet."""
    return hashlib.sha256(content).hexdigest()


def sums_of(digests: Iterable[tuple[str, str]]) -> bytes:
    """Return `SHA256SUMS` for pairs of file name and digest; its own hash is the dataset's.

    The names are those of the unpacked files, as `sha256sum` wants them.
    """
    lines = (f"{digest}  {name.removesuffix('.gz')}\n" for name, digest in digests)
    return "".join(lines).encode()


def describe_folder(folder: Path) -> None:
    """Write the card and the schema into a folder of datasets."""
    write_whole(folder / "README.md", card().encode())
    write_whole(folder / "schema.json", json.dumps(schema(), indent=2).encode() + b"\n")


def card() -> str:
    """Return the dataset card, in Markdown."""
    return files("pentathlon_engines.dataset").joinpath("card.md").read_text(encoding="utf-8")


def write_dataset(folder: Path, records: Iterable[Record]) -> tuple[int, int]:
    """Write verified records as a dataset; return how many matches and decisions it has."""
    matches = decisions = 0
    digests: list[tuple[str, str]] = []
    for number, part in enumerate(_parts(records), start=1):
        sources = [Source(match=matches + each) for each in range(1, len(part) + 1)]
        pairs = list(zip(part, sources, strict=True))
        rows = [row for record, source in pairs for row in decision_rows(record, source)]
        played = [match_row(record, source) for record, source in pairs]
        for table, content in ((DECISIONS, rows), (MATCHES, played)):
            lines = lines_of(content)
            digests.append((part_name(table, number), digest_of(lines)))
            write_whole(folder / part_name(table, number), pack_lines(lines))
        matches, decisions = matches + len(played), decisions + len(rows)
    write_whole(folder / SUMS, sums_of(digests))
    return matches, decisions


def read_table(folder: Path, table: str) -> Iterator[Row]:
    """Yield the rows of a table of one dataset, part by part."""
    if table not in TABLES:
        raise ValueError(f"no table {table!r}")
    for path in parts_of(folder, table):
        yield from read_part(path)


def parts_of(folder: Path, table: str) -> list[Path]:
    """Return the packed lines of a table of one dataset, in order."""
    return sorted(folder.glob(f"{table}-*{LINES}.gz"))


def read_part(path: Path) -> Iterator[Row]:
    """Yield the rows of a part from its packed lines."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def _parts(records: Iterable[Record]) -> Iterator[list[Record]]:
    part: list[Record] = []
    for record in records:
        part.append(record)
        if len(part) == _MATCHES_IN_PART:
            yield part
            part = []
    if part:
        yield part
