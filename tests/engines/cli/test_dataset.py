"""`pentathlon dataset` with records of this machine; downloads are in tests/e2e/cli."""

import gzip
import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from pentathlon_engines import GAMES
from pentathlon_engines.cli.commands import dataset as command
from pentathlon_engines.dataset.folder import digest_of, lines_of
from pentathlon_engines.dataset.rows import Source, decision_rows, schema
from pentathlon_engines.desk.record_files import write_record
from tests.engines.commands import Run
from tests.engines.record.random_records import make_record, tuned_record

pytestmark = pytest.mark.usefixtures("_in_process")


@pytest.fixture
def records(tmp_path: Path) -> Path:
    """Return a folder with records of two games, and something else."""
    folder = tmp_path / "records"
    write_record(folder / "1.json", tuned_record())
    write_record(folder / "deep/2.json", make_record(GAMES["tuned"], seats=2, seed=8))
    write_record(folder / "other.json", make_record(GAMES["azure"], seats=2))
    (folder / "state.json").write_text("{}")
    return folder


def test_records_become_a_dataset_with_hashes(run: Run, tmp_path: Path, records: Path) -> None:
    made = run("dataset", "tuned", "--records", str(records), "--json")

    folder = tmp_path / "tuned-data"
    lines = gzip.decompress((folder / "local/decisions-00001.ndjson.gz").read_bytes())
    rows = [json.loads(line) for line in lines.splitlines()]
    assert made.code == 0
    assert made.data == [{"folder": "tuned-data/local", "matches": 2, "decisions": len(rows)}]
    assert lines.startswith(lines_of(decision_rows(tuned_record(), Source(match=1))))
    assert (
        f"{digest_of(lines)}  decisions-00001.ndjson\n"
        in (folder / "local/SHA256SUMS").read_text()
    )
    assert json.loads((folder / "schema.json").read_text()) == schema()
    assert "Known biases" in (folder / "README.md").read_text()


def test_parquet_stands_beside_the_lines(run: Run, tmp_path: Path, records: Path) -> None:
    made = run("dataset", "tuned", "--records", str(records), "--parquet", "--folder", "d")

    assert made.code == 0
    assert pq.read_table(tmp_path / "d/local/matches-00001.parquet").num_rows == 2
    assert pq.read_table(tmp_path / "d/local/decisions-00001.parquet").num_rows > 10


def test_without_pyarrow_parquet_is_refused_at_once(
    run: Run, tmp_path: Path, records: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def miss(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(command, "import_module", miss)

    refused = run("dataset", "tuned", "--records", str(records), "--parquet")

    assert refused.code == 2
    assert "pip install pyarrow" in refused.err
    assert not (tmp_path / "tuned-data").exists()


def test_a_changed_record_is_refused(run: Run, records: Path) -> None:
    write_record(records / "1.json", {**tuned_record(), "seed": 5})

    refused = run("dataset", "tuned", "--records", str(records))

    assert refused.code == 1
    assert "pentathlon verify" in refused.err


def test_a_folder_without_records_of_the_game_is_refused(run: Run, records: Path) -> None:
    refused = run("dataset", "maatatahay", "--records", str(records))

    assert refused.code == 2
    assert "There is no record of maatatahay" in refused.err
