"""Datasets in the API: listed when they are whole, with parts that match their hashes."""

import gzip
import hashlib
import io
import json
from typing import Any

import jsonschema
import pyarrow.parquet as pq
import pytest
from django.test import Client
from rest_framework.test import APIClient

from pentathlon.core.server.continuations import HEADER
from pentathlon.insight.datasets import contents
from pentathlon.insight.datasets.models import Dataset
from pentathlon.insight.datasets.services import DatasetMaker
from pentathlon.matches.hidden_lanes import HiddenLane
from pentathlon.matches.models import Match
from pentathlon_engines.dataset.rows import TABLES, schema
from tests.api.client import V1, assert_problem
from tests.databases import made_once
from tests.pentathlon.insight.datasets.making import closed_cup, dataset_in_parts, make_all

pytestmark = pytest.mark.django_db


made_dataset = made_once(dataset_in_parts)


@pytest.fixture
def dataset(made_dataset: Dataset, db: None) -> Dataset:
    """Return a dataset in two parts of each table."""
    return Dataset.objects.get(pk=made_dataset.pk)


def get(address: str, **headers: str) -> Any:  # Any: the test client's
    return APIClient().get(f"{V1}{address}", headers=headers)


def test_the_list_names_what_there_is_and_its_hash(dataset: Dataset) -> None:
    (row,) = get("/datasets/?game=tuned&newest=true").json()["results"]

    assert row["id"] == dataset.pk
    assert (row["matches"], row["parts"], row["schema_version"]) == (6, 2, 1)
    assert (
        row["sha256"]
        == hashlib.sha256(get(f"/datasets/{row['id']}/SHA256SUMS").content).hexdigest()
    )
    assert row["licence"] == "CC0-1.0"
    assert get(f"/datasets/{dataset.pk}/").json() == row
    assert get("/datasets/?game=azure").json()["results"] == []
    assert get("/datasets/?newest=false").json()["results"] == []
    assert get("/datasets/?newest=perhaps").status_code == 400


@pytest.mark.parametrize("table", TABLES)
def test_parts_have_their_hashes_packed_and_unpacked(dataset: Dataset, table: str) -> None:
    sums = get(f"/datasets/{dataset.pk}/SHA256SUMS").content.decode()
    address = f"/datasets/{dataset.pk}/{table}/2.ndjson"
    validator = jsonschema.Draft202012Validator(schema())

    plain, packed = get(address), get(address, **{"Accept-Encoding": "gzip"})

    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.content) == plain.content
    assert f"{hashlib.sha256(plain.content).hexdigest()}  {table}-00002.ndjson\n" in sums
    assert plain.headers["Content-Type"] == "application/x-ndjson"
    assert "immutable" in plain.headers["Cache-Control"]
    for line in plain.content.splitlines():
        validator.validate(json.loads(line))
    again = get(address, **{"If-None-Match": plain.headers["ETag"]})
    assert again.status_code == 304


@pytest.mark.parametrize("table", TABLES)
def test_parts_are_parquet_files_with_their_hashes(dataset: Dataset, table: str) -> None:
    told = get(f"/datasets/{dataset.pk}/").json()
    sums = get(f"/datasets/{dataset.pk}/SHA256SUMS").content.decode()

    files = [get(f"/datasets/{dataset.pk}/{table}/{number}.parquet") for number in (1, 2)]

    for number, file in enumerate(files, start=1):
        assert file.headers["Content-Type"] == "application/vnd.apache.parquet"
        assert f'filename="{table}-0000{number}.parquet"' in file.headers["Content-Disposition"]
        assert "immutable" in file.headers["Cache-Control"]
        assert (
            f"{hashlib.sha256(file.content).hexdigest()}  {table}-0000{number}.parquet\n" in sums
        )
        lines = get(f"/datasets/{dataset.pk}/{table}/{number}.ndjson").content.splitlines()
        assert pq.read_table(io.BytesIO(file.content)).num_rows == len(lines)
    tag = files[0].headers["ETag"]
    address = f"/datasets/{dataset.pk}/{table}/1.parquet"
    assert get(address, **{"If-None-Match": tag}).status_code == 304
    assert 0 < sum(len(file.content) for file in files) < told["parquet_bytes"]


def test_a_dataset_without_parquet_names_the_extra_and_the_command(dataset: Dataset) -> None:
    Dataset.objects.update(parquet_bytes=None)

    refused = get(f"/datasets/{dataset.pk}/matches/1.parquet")

    assert_problem(refused, status=404, code="no_parquet")
    assert "requirements/parquet.txt" in refused.json()["detail"]
    assert "pentathlon dataset tuned --parquet" in refused.json()["detail"]
    assert get(f"/datasets/{dataset.pk}/").json()["parquet_bytes"] is None


def test_parts_that_do_not_exist_are_refused(dataset: Dataset) -> None:
    assert_problem(get(f"/datasets/{dataset.pk}/decisions/3.ndjson"), status=404, code="not_found")
    assert_problem(get(f"/datasets/{dataset.pk}/decisions/0.ndjson"), status=404, code="not_found")
    assert_problem(get(f"/datasets/{dataset.pk}/matches/3.parquet"), status=404, code="not_found")
    assert_problem(get(f"/datasets/{dataset.pk}/secrets/1.ndjson"), status=404, code="not_found")


def test_nobody_gets_what_is_unfinished_or_hidden(dataset: Dataset) -> None:
    closed_cup()
    DatasetMaker(part_bytes=1).make_datasets(for_s=60)
    unfinished = Dataset.objects.get(is_whole=False)
    HiddenLane.objects.create(lane=dataset.tournament_id, organiser=dataset.tournament.owner)

    assert get("/datasets/").json()["results"] == []
    assert dataset.tournament.name not in Client().get("/datasets/").content.decode()
    for each in (unfinished, dataset):
        assert Client().get(f"/datasets/{each.pk}/").status_code == 404
        for rest in ("", "SHA256SUMS", "decisions/1.ndjson", "matches/1.parquet"):
            assert_problem(get(f"/datasets/{each.pk}/{rest}"), status=404, code="not_found")


def test_queries_do_not_grow_with_datasets_and_parts(
    dataset: Dataset, django_assert_num_queries: Any
) -> None:
    for _ in range(2):
        closed_cup(bots=2)
    make_all()
    address = f"{V1}/datasets/{dataset.pk}/decisions/1"
    client = Client()
    client.get(f"{V1}/datasets/")

    with django_assert_num_queries(1):
        assert len(client.get(f"{V1}/datasets/").json()["results"]) == 3
    for suffix in (".ndjson", ".parquet"):
        with django_assert_num_queries(2):
            client.get(address + suffix)


def read_history(address: str) -> list[bytes]:
    """Ask for stretch after stretch as the server does; return the lines of each."""
    stretches, query = [], ""
    while True:
        answer = get(f"{address}?{query}")
        stretches.append(answer.content)
        query = answer.headers[HEADER]
        if not query:
            return stretches


def test_the_history_of_a_game_comes_in_stretches(
    dataset: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed_cup(bots=2)
    make_all()
    (whole,) = read_history("/datasets/history/tuned.ndjson")
    monkeypatch.setattr(contents, "_MOST_BYTES", 1)

    stretches = read_history("/datasets/history/tuned.ndjson")

    assert len(stretches) == 3
    assert b"".join(stretches) == whole
    played = Match.objects.filter(kind="tournament", state="done").order_by("pk")
    assert [json.loads(line)["match"] for line in whole.splitlines()] == [
        match.pk for match in played
    ]


def test_a_history_goes_on_behind_any_of_its_matches(dataset: Dataset) -> None:
    closed_cup(bots=2)
    make_all()
    (whole,) = read_history("/datasets/history/tuned.ndjson")
    lines = whole.splitlines(keepends=True)

    for at, line in enumerate(lines, start=1):
        rest = get(f"/datasets/history/tuned.ndjson?after={json.loads(line)['match']}")
        assert rest.content == b"".join(lines[at:])


def test_a_history_without_matches_is_empty_and_wrong_cursors_are_refused() -> None:
    assert get("/datasets/history/azure.ndjson").content == b""
    assert get("/datasets/history/chess.ndjson").status_code == 404
    for number in ("9" * 18, "0"):
        missing = get(f"/datasets/history/tuned.ndjson?after={number}")
        assert_problem(missing, status=404, code="not_found", attr="after")
    refused = get("/datasets/history/tuned.ndjson?after=soon")
    assert_problem(refused, status=400, code="bad_cursor", attr="after")
