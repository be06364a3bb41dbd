"""Parts of a dataset as Parquet: the extra `parquet` (pyarrow, some 160 MB)."""

import io
import json
from collections.abc import Iterable, Iterator
from typing import Any, Final

import pyarrow as pa
from pyarrow import parquet

from pentathlon_engines.dataset.rows import DECISIONS, VERSION, schema

_ROWS_AT_ONCE: Final = 2_000
_PLACE: Final = [
    ("seat", pa.uint8()),
    ("version", pa.int64()),
    ("rank", pa.uint8()),
    ("share", pa.float32()),
    ("mu", pa.float64()),
    ("sigma", pa.float64()),
]
_BOT: Final = pa.struct(
    [("name", pa.string()), ("hash", pa.string()), *_PLACE, ("score", pa.int64())]
)
_MATCH: Final = [
    ("match", pa.int64()),
    ("split", pa.dictionary(pa.int8(), pa.string())),
    ("course", pa.string()),
    ("game", pa.string()),
    ("rules", pa.uint16()),
    ("seats", pa.uint8()),
    ("options", pa.string()),
    ("seed", pa.int64()),
    ("sandbox", pa.string()),
    ("reason", pa.string()),
    ("bots", pa.list_(_BOT)),
    ("faults", pa.string()),
    ("decisions", pa.uint32()),
    ("events", pa.list_(pa.struct([("seat", pa.int8()), ("text", pa.string())]))),
]
_DECISION: Final = [
    *_MATCH[:2],
    ("rules", pa.uint16()),
    ("seats", pa.uint8()),
    ("fault", pa.bool_()),
    *_PLACE,
    ("ply", pa.uint32()),
    ("action", pa.uint16()),
    ("legal", pa.list_(pa.uint16())),
    # How many features there are depends on the seats, and a part may have no decision at all.
    ("features", pa.list_(pa.float32())),
]
_AS_TEXT: Final = ("options", "faults")
"""Fields whose shape differs from game to game; they become JSON in a text column."""


def pack_parquet(rows: Iterable[dict[str, Any]], *, table: str) -> bytes:  # Any: JSON
    """Return the rows of a part as a Parquet file; they are converted batch by batch."""
    is_decisions = table == DECISIONS
    columns = pa.schema(_DECISION if is_decisions else _MATCH, metadata=_metadata())
    file = io.BytesIO()
    with parquet.ParquetWriter(file, columns, compression="zstd") as writer:
        for batch in _batches(rows):
            plain = batch if is_decisions else [*map(_match, batch)]
            writer.write_table(pa.Table.from_pylist(plain, schema=columns))
    return file.getvalue()


def _match(row: dict[str, Any]) -> dict[str, Any]:  # Any: JSON
    events = [{"seat": seat, "text": text} for seat, text in row["events"]]
    return {**row, **{name: json.dumps(row[name]) for name in _AS_TEXT}, "events": events}


def _metadata() -> dict[str, str]:
    return {"pentathlon.schema_version": str(VERSION), "pentathlon.schema": json.dumps(schema())}


def _batches(rows: Iterable[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:  # Any: JSON
    batch: list[dict[str, Any]] = []
    for row in rows:
        batch.append(row)
        if len(batch) == _ROWS_AT_ONCE:
            yield batch
            batch = []
    if batch:
        yield batch
