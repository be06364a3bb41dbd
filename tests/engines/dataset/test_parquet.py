"""Parquet files hold the rows of a part unchanged."""

import io
import json
from typing import Any

import pyarrow.parquet as pq
import pytest

from pentathlon_engines import GAMES
from pentathlon_engines.dataset.parquet import pack_parquet
from pentathlon_engines.dataset.rows import (
    DECISIONS,
    MATCHES,
    Source,
    decision_rows,
    match_row,
    schema,
)
from tests.engines.record.random_records import make_record, tuned_record


def read(file: bytes) -> Any:  # Any: pyarrow has no types
    return pq.read_table(io.BytesIO(file))


def test_decisions_come_back_as_they_were() -> None:
    rows = [*decision_rows(tuned_record(), Source(match=1))]

    table = read(pack_parquet(rows, table=DECISIONS))

    assert json.loads(table.schema.metadata[b"pentathlon.schema"]) == schema()
    for found, row in zip(table.to_pylist(), rows, strict=True):
        assert found.pop("features") == pytest.approx(row.pop("features"), abs=1e-6)
        assert found == row


def test_decisions_of_tables_of_any_size_go_together() -> None:
    game = GAMES["way_of_the_dragon"]
    rows = [
        row
        for seats in (3, 4)
        for row in decision_rows(make_record(game, seats=seats), Source(match=seats))
    ]

    features = read(pack_parquet(rows, table=DECISIONS))["features"]

    assert [*map(len, features.to_pylist())] == [len(row["features"]) for row in rows]


@pytest.mark.parametrize("table", [DECISIONS, MATCHES])
def test_a_part_without_rows_has_the_columns_of_the_others(table: str) -> None:
    rows = {
        DECISIONS: decision_rows(tuned_record(), Source(match=1)),
        MATCHES: [match_row(tuned_record(), Source(match=1))],
    }

    empty = read(pack_parquet([], table=table))

    assert empty.num_rows == 0
    assert empty.schema == read(pack_parquet(rows[table], table=table)).schema


def test_matches_come_back_as_they_were() -> None:
    row = match_row(make_record(GAMES["way_of_the_dragon"], seats=3), Source(match=1))

    (found,) = read(pack_parquet([row], table=MATCHES)).to_pylist()

    assert json.loads(found["options"]) == row["options"]
    assert [[event["seat"], event["text"]] for event in found["events"]] == row["events"]
    assert found["course"] == row["course"]
    assert [bot["name"] for bot in found["bots"]] == [bot["name"] for bot in row["bots"]]
