"""Rows of datasets: every decision of a bot, seen by its seat alone, in one split a match."""

import io
import json
from random import Random
from typing import Any

import jsonschema
import numpy as np
import pyarrow.parquet as pq
import pytest

from pentathlon_engines import CHANCE, GAMES
from pentathlon_engines.dataset.parquet import pack_parquet
from pentathlon_engines.dataset.rows import (
    DECISIONS,
    MATCHES,
    Source,
    decision_rows,
    features,
    match_row,
    schema,
    shares,
    split_of,
)
from pentathlon_engines.match.events import Event
from pentathlon_engines.match.faults import Fault, FaultKind
from pentathlon_engines.record.record import positions
from pentathlon_engines.record.shape import Record
from tests.deep import mostly_deep
from tests.engines.record.random_records import make_record, tuned_record

ONE = Source(match=1)
VALIDATOR = jsonschema.Draft202012Validator(schema())


def record_of(key: str) -> Record:
    return make_record(GAMES[key], seats=GAMES[key].info.default_seats, seed=3)


@pytest.mark.parametrize("key", mostly_deep(GAMES, keep=["azure", "way_of_the_dragon"]))
def test_every_decision_has_a_row_that_the_schema_describes(key: str) -> None:
    record = record_of(key)

    rows = [*decision_rows(record, ONE)]

    acted = [ply for ply, event in enumerate(record["events"]) if event[0] != CHANCE]
    assert [row["ply"] for row in rows] == acted
    assert len({len(row["features"]) for row in rows}) == 1
    start = GAMES[key].start(record["seats"])
    for row in rows:
        VALIDATOR.validate(row)
        assert row["action"] in row["legal"]
        text = record["events"][row["ply"]][1]
        assert start.text(row["action"]) == text
    match = match_row(record, ONE)
    VALIDATOR.validate(match)
    assert match["decisions"] == len(rows)


def test_features_are_what_the_seat_saw() -> None:
    record = record_of("azure")
    states = list(positions(record))

    for row in decision_rows(record, ONE):
        state = states[row["ply"]]
        encoded = state.features(row["seat"])
        assert np.allclose(row["features"], encoded, atol=1e-6)
        twin = state.determinize(row["seat"], Random(1))
        assert features(twin, row["seat"]) == row["features"]


def test_a_stand_in_decides_nothing() -> None:
    dragon = GAMES["way_of_the_dragon"]
    whole = make_record(dragon, seats=3, seed=7)
    seat, ply = next((row[0], ply) for ply, row in enumerate(whole["events"]) if row[0] == 1)
    fault = Fault(FaultKind.CRASH, seat=seat, ply=ply, detail="gone")
    record = make_record(dragon, seats=3, seed=7, fault=fault)
    stood_in = {ply for ply, row in enumerate(record["events"]) if Event.of(row).is_stand_in}

    rows = [*decision_rows(record, ONE)]

    assert stood_in
    assert {row["ply"] for row in rows}.isdisjoint(stood_in)
    assert all(row["fault"] for row in rows)


def test_a_row_knows_version_rating_and_share() -> None:
    source = Source(match=5, versions=[11, 12], skills=[(25.0, 3.0), None])

    first, second = [*decision_rows(tuned_record(), source)][:2]

    assert (first["match"], first["version"], first["mu"], first["sigma"]) == (5, 11, 25.0, 3.0)
    assert (second["version"], second["mu"]) == (12, None)
    assert first["share"] + second["share"] == 1


@pytest.mark.parametrize(
    ("ranks", "expected"), [([0, 1], [1, 0]), ([0, 0], [0.5, 0.5]), ([2, 0, 0], [0, 0.75, 0.75])]
)
def test_shares_are_of_the_others(ranks: list[int], expected: list[float]) -> None:
    assert shares(ranks) == expected


def test_what_could_be_the_same_match_is_in_one_split() -> None:
    tuned, dealt = GAMES["tuned"], GAMES["azure"]
    same = make_record(tuned, seats=2, seed=7)
    again: Record = {**same, "seed": 8}
    legs = [make_record(dealt, seats=2, seed=9), make_record(dealt, seats=2, seed=9)]
    legs[1]["events"] = legs[1]["events"][:1]

    assert match_row(same, ONE)["split"] == match_row(again, ONE)["split"]
    assert len({match_row(leg, ONE)["split"] for leg in legs}) == 1


def test_splits_have_their_shares_for_ever() -> None:
    found = [split_of(str(number)) for number in range(4000)]

    assert found.count("train") / 4000 == pytest.approx(0.8, abs=0.03)
    assert found.count("test") / 4000 == pytest.approx(0.1, abs=0.03)
    assert found[:6] == [split_of(str(number)) for number in range(6)]


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
