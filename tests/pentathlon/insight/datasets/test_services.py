"""Datasets: made part by part of closed tournaments, whole or not there, and frozen."""

from __future__ import annotations

import gzip
import io
import json
from typing import Any

import pyarrow.parquet as pq
import pytest
from django.utils import timezone

from pentathlon.insight.datasets import services
from pentathlon.insight.datasets.models import Dataset, DatasetPart
from pentathlon.insight.datasets.services import DatasetMaker, part_digests
from pentathlon.matches.hidden_lanes import HiddenLane
from pentathlon.matches.models import Match
from pentathlon.matches.replays.services import read_record
from pentathlon.tournaments.models import Tournament, TournamentState
from pentathlon_engines.dataset.folder import digest_of, lines_of
from pentathlon_engines.dataset.rows import DECISIONS, MATCHES, Source, decision_rows
from tests.databases import made_once
from tests.pentathlon.insight.datasets.making import closed_cup, make_all
from tests.pentathlon.tournaments.acting import started
from tests.pentathlon.web.scene import play_all

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("cup")]

cup = made_once(closed_cup)


def rows_of(dataset: Dataset, table: str) -> list[dict[str, Any]]:
    parts = DatasetPart.objects.filter(dataset=dataset, table=table).order_by("number")
    lines = b"".join(gzip.decompress(bytes(part.data)) for part in parts)
    return [json.loads(line) for line in lines.splitlines()]


def test_a_closed_tournament_becomes_a_dataset_of_its_decisions(cup: Tournament) -> None:
    make_all()

    dataset = Dataset.objects.listed().get()
    first = Match.objects.filter(lane=cup.pk).order_by("pk")[0]
    versions = [seat.version_id for seat in first.seats.order_by("seat")]
    own = [row for row in rows_of(dataset, DECISIONS) if row["match"] == first.pk]
    plain = [*decision_rows(read_record(first.replay), Source(match=first.pk, versions=versions))]
    assert [{**row, "mu": None, "sigma": None} for row in own] == plain
    assert dataset.matches == len(rows_of(dataset, MATCHES)) == 6
    assert dataset.decisions == len(rows_of(dataset, DECISIONS))
    assert dataset.sha256 == digest_of(part_digests(dataset))
    assert dataset.is_newest


def test_rows_know_the_live_rating_before_their_match() -> None:
    make_all()

    rows = rows_of(Dataset.objects.get(), DECISIONS)

    first = rows[0]["match"]
    assert {(row["mu"], round(row["sigma"], 3)) for row in rows if row["match"] == first} == {
        (25.0, 8.333)
    }
    assert len({row["mu"] for row in rows}) > 2


def test_what_runs_or_hides_its_results_is_in_no_dataset(cup: Tournament) -> None:
    running = started(bots=3)
    play_all(running, limit=2)
    lane = HiddenLane.objects.create(lane=cup.pk, organiser=cup.owner)

    make_all()
    assert not Dataset.objects.exists()

    lane.delete()
    make_all()
    assert Dataset.objects.get().tournament == cup


def test_a_dataset_that_is_hidden_again_is_not_listed(cup: Tournament) -> None:
    make_all()

    HiddenLane.objects.create(lane=cup.pk, organiser=cup.owner)

    assert not Dataset.objects.listed().exists()


def test_an_unfinished_dataset_is_not_listed_and_goes_on_in_another_process() -> None:
    maker = DatasetMaker(part_bytes=1)

    assert maker.make_datasets(for_s=60) == 0

    assert not Dataset.objects.listed().exists()
    assert Dataset.objects.get().parts == 1
    # Another leader, while the first one still has a draft.
    late = DatasetMaker(part_bytes=10**9)
    late._draft_of(Dataset.objects.get())
    make_all()
    dataset = Dataset.objects.listed().get()
    assert dataset.matches == len({row["match"] for row in rows_of(dataset, MATCHES)}) == 6
    assert late.make_datasets(for_s=60) == 0
    assert DatasetPart.objects.filter(table=MATCHES).count() == dataset.parts == 2


def test_a_part_that_another_process_has_stored_is_stored_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first, second = DatasetMaker(part_bytes=10**9), DatasetMaker(part_bytes=10**9)
    dataset = Dataset.objects.filter(is_whole=False)
    monkeypatch.setattr("pentathlon.insight.datasets.services._finish", lambda pk: False)

    first.make_datasets(for_s=60)
    stale = dataset.get()
    stale.parts, stale.cursor = 0, 0
    monkeypatch.setattr("pentathlon.insight.datasets.services._take_up_next", lambda: [stale])
    second.make_datasets(for_s=60)

    assert dataset.get().matches == 6
    assert DatasetPart.objects.count() == 2


def test_results_that_were_taken_back_are_left_out(cup: Tournament) -> None:
    revoked = Match.objects.filter(lane=cup.pk).order_by("pk")[0]
    Match.objects.filter(pk=revoked.pk).update(is_revoked=True)

    make_all()

    dataset = Dataset.objects.get()
    assert revoked.pk not in {row["match"] for row in rows_of(dataset, MATCHES)}
    assert dataset.matches == 5


def test_a_tournament_that_closes_again_gets_another_edition(cup: Tournament) -> None:
    make_all()
    first = Dataset.objects.get()
    before = (first.sha256, part_digests(first))

    Tournament.objects.filter(pk=cup.pk).update(results_version=cup.results_version + 1)
    make_all()

    old, new = Dataset.objects.listed().order_by("pk")
    assert (old.is_newest, new.is_newest) == (False, True)
    assert (old.sha256, part_digests(old)) == before


def test_a_dataset_of_a_tournament_that_changes_meanwhile_is_dropped(cup: Tournament) -> None:
    DatasetMaker(part_bytes=1).make_datasets(for_s=60)

    Tournament.objects.filter(pk=cup.pk).update(state=TournamentState.RUNNING)
    make_all()

    assert not Dataset.objects.exists()


def test_other_rules_cannot_be_played_again(cup: Tournament) -> None:
    Tournament.objects.filter(pk=cup.pk).update(rules_version=99, finished_at=timezone.now())

    make_all()

    assert not Dataset.objects.exists()


def test_equal_matches_make_equal_bytes() -> None:
    make_all()
    first = [*DatasetPart.objects.order_by("table").values_list("sha256", "data")]
    Dataset.objects.all().delete()

    make_all()

    again = [*DatasetPart.objects.order_by("table").values_list("sha256", "data")]
    assert [(one, bytes(data)) for one, data in again] == [
        (one, bytes(data)) for one, data in first
    ]
    assert digest_of(lines_of(rows_of(Dataset.objects.get(), DECISIONS))) == again[0][0]


def test_each_part_is_there_as_parquet_with_the_same_rows() -> None:
    DatasetMaker(part_bytes=1).make_datasets(for_s=60)
    make_all()

    dataset = Dataset.objects.get()
    parts = [*dataset.part_rows.all()]
    assert len(parts) == 4
    sums = part_digests(dataset).decode()
    for part in parts:
        file = bytes(part.parquet or b"")
        rows = pq.read_table(io.BytesIO(file)).to_pylist()
        lines = gzip.decompress(bytes(part.data)).splitlines()
        assert [row["match"] for row in rows] == [json.loads(line)["match"] for line in lines]
        assert f"{digest_of(file)}  {part.parquet_name}\n" in sums
    assert dataset.parquet_bytes == sum(len(part.parquet or b"") for part in parts)


def test_without_pyarrow_a_dataset_has_lines_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "has_parquet", lambda: False)

    make_all()

    dataset = Dataset.objects.listed().get()
    assert dataset.parquet_bytes is None
    assert ".parquet" not in part_digests(dataset).decode()


def test_parquet_of_some_parts_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    DatasetMaker(part_bytes=1).make_datasets(for_s=60)
    assert not DatasetPart.objects.filter(parquet=None).exists()

    monkeypatch.setattr(services, "has_parquet", lambda: False)
    make_all()

    dataset = Dataset.objects.listed().get()
    assert (dataset.parts, dataset.parquet_bytes) == (2, None)
    assert not DatasetPart.objects.exclude(parquet=None).exists()
    assert ".parquet" not in part_digests(dataset).decode()
