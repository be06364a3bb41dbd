"""Parquet files hold the rows of a table unchanged."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from pentathlon_engines import GAMES
from pentathlon_engines.dataset.parquet import write_parquet
from pentathlon_engines.dataset.rows import Source, decision_rows, match_row
from pentathlon_engines.dataset.schema import DECISIONS, MATCHES, schema
from tests.engines.record.random_records import make_record, tuned_record


def test_decisions_come_back_as_they_were(tmp_path: Path) -> None:
    rows = [*decision_rows(tuned_record(), Source(match=1))]

    assert write_parquet(tmp_path / "d.parquet", rows, table=DECISIONS) == len(rows)

    read = pq.read_table(tmp_path / "d.parquet")
    assert json.loads(read.schema.metadata[b"pentathlon.schema"]) == schema()
    for found, row in zip(read.to_pylist(), rows, strict=True):
        assert found.pop("features") == pytest.approx(row.pop("features"), abs=1e-6)
        assert found == row


def test_matches_come_back_as_they_were(tmp_path: Path) -> None:
    row = match_row(make_record(GAMES["way_of_the_dragon"], seats=3), Source(match=1))

    write_parquet(tmp_path / "m.parquet", [row], table=MATCHES)

    (found,) = pq.read_table(tmp_path / "m.parquet").to_pylist()
    assert json.loads(found["options"]) == row["options"]
    assert [[event["seat"], event["text"]] for event in found["events"]] == row["events"]
    assert found["course"] == row["course"]
    assert [bot["name"] for bot in found["bots"]] == [bot["name"] for bot in row["bots"]]
