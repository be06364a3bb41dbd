"""`pentathlon dataset` against a site: whole, checked, and resumed where it stopped."""

import gzip
import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from pentathlon.insight.datasets.models import Dataset, DatasetPart
from pentathlon.insight.datasets.services import part_digests
from pentathlon_engines.cli.client.http_site import Site
from pentathlon_engines.cli.commands import dataset as command
from pentathlon_engines.dataset.folder import digest_of, pack_lines, read_table
from pentathlon_engines.dataset.rows import DECISIONS
from tests.e2e.cli.conftest import SITE
from tests.engines.commands import Run
from tests.pentathlon.insight.datasets.making import dataset_in_parts

pytestmark = pytest.mark.django_db


@pytest.fixture
def dataset() -> Dataset:
    """Return a dataset in two parts of each table."""
    return dataset_in_parts()


def test_a_download_is_whole_and_stays(
    run: Run, tmp_path: Path, dataset: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = run("dataset", "tuned", "--site", SITE, "--json")

    folder = tmp_path / "tuned-data" / f"dataset-{dataset.pk}"
    assert first.code == 0
    assert first.data[0]["sha256"] == dataset.sha256
    assert len([*read_table(folder, DECISIONS)]) == dataset.decisions
    assert (tmp_path / "tuned-data/schema.json").exists()
    asked: list[str] = []
    download = Site.download

    def note_download(site: Site, path: str) -> bytes:
        asked.append(path)
        return download(site, path)

    monkeypatch.setattr(Site, "download", note_download)

    # Make it look as if the download had been cut off: one part is missing, another is half there.
    (folder / "matches-00002.ndjson.gz").unlink()
    half = folder / "decisions-00001.ndjson.gz"
    half.write_bytes(half.read_bytes()[:500])
    again = run("dataset", "tuned", "--site", SITE)

    assert again.code == 0
    base = f"datasets/{dataset.pk}"
    assert asked == [
        f"{base}/SHA256SUMS", f"{base}/decisions/1.ndjson", f"{base}/matches/2.ndjson",
    ]  # fmt: skip
    assert len([*read_table(folder, DECISIONS)]) == dataset.decisions
    assert f"6 matches, {dataset.decisions} decisions" in again.err


def test_parquet_comes_from_a_site_that_has_it(
    run: Run, tmp_path: Path, dataset: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "import_module", _miss)

    told = run("dataset", "tuned", "--parquet", "--site", SITE)

    assert told.code == 0
    folder = tmp_path / "tuned-data" / f"dataset-{dataset.pk}"
    for part in dataset.part_rows.all():
        assert (folder / part.parquet_name).read_bytes() == bytes(part.parquet or b"")
        assert (folder / part.name).exists()

    (folder / "matches-00002.parquet").write_bytes(b"half")
    assert run("dataset", "tuned", "--parquet", "--site", SITE).code == 0
    assert pq.read_table(folder / "matches-00002.parquet").num_rows > 0


def test_without_parquet_on_the_site_it_is_made_here(
    run: Run, tmp_path: Path, dataset: Dataset
) -> None:
    _take_parquet_away(dataset)

    told = run("dataset", "tuned", "--parquet", "--site", SITE)

    assert told.code == 0
    folder = tmp_path / "tuned-data" / f"dataset-{dataset.pk}"
    tables = [pq.read_table(path) for path in sorted(folder.glob("decisions-*.parquet"))]
    assert len(tables) == 2
    assert sum(table.num_rows for table in tables) == dataset.decisions


def test_without_parquet_on_both_sides_nothing_is_downloaded(
    run: Run, tmp_path: Path, dataset: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    _take_parquet_away(dataset)
    monkeypatch.setattr(command, "import_module", _miss)

    refused = run("dataset", "tuned", "--parquet", "--site", SITE)

    assert refused.code == 2
    assert "pip install pyarrow" in refused.err
    assert not (tmp_path / "tuned-data").exists()


def _miss(name: str) -> None:
    raise ImportError(name)


def _take_parquet_away(dataset: Dataset) -> None:
    dataset.parquet_bytes = None
    dataset.sha256 = digest_of(part_digests(dataset))
    dataset.save()


def test_a_part_with_another_content_is_refused(
    run: Run, tmp_path: Path, dataset: Dataset
) -> None:
    part = DatasetPart.objects.filter(dataset=dataset, table="matches", number=2)
    rows = [json.loads(line) for line in gzip.decompress(bytes(part.get().data)).splitlines()]
    rows[0]["seed"] += 1
    part.update(data=pack_lines(b"".join(json.dumps(row).encode() + b"\n" for row in rows)))

    refused = run("dataset", "tuned", "--site", SITE)

    assert refused.code == 1
    assert "does not have its hash" in refused.err
    folder = tmp_path / "tuned-data" / f"dataset-{dataset.pk}"
    assert not (folder / "SHA256SUMS").exists()
    assert not (folder / "matches-00002.ndjson.gz").exists()


def test_a_site_without_datasets_says_what_to_do(run: Run) -> None:
    told = run("dataset", "azure", "--site", SITE)

    assert told.code == 0
    assert "No tournament or season of azure has closed there yet" in told.err
