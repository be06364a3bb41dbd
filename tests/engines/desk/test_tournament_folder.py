"""What a tournament's folder keeps, and what it refuses."""

import json
from pathlib import Path

import pytest

from pentathlon_engines.desk.match_pool import DeskMatch
from pentathlon_engines.desk.tournament import Kept
from pentathlon_engines.desk.tournament_folder import TournamentFolder, open_folder
from pentathlon_engines.errors import BadFolder
from pentathlon_engines.record.record import chain
from tests.engines.record.random_records import tuned_record

DOCUMENT = {"game": "tuned"}
HASHES = ["sha256:00", "sha256:00"]
MATCH = DeskMatch(index=1, block=1, players=(0, 1), seed=7, alias="local")


def _open(path: Path, **changes: object) -> TournamentFolder:
    facts = {"document": DOCUMENT, "hashes": HASHES, "secret": None, **changes}
    return open_folder(path, **facts)  # type: ignore[arg-type]  # tests change one at a time


def test_record_that_was_kept_is_found(tmp_path: Path) -> None:
    record = tuned_record()

    _open(tmp_path).keep_record(MATCH, record)

    kept = _open(tmp_path).find(MATCH)
    assert kept is not None
    assert kept.result is not None
    assert list(kept.result.ranks) == record["outcome"]["ranks"]
    assert [path.name for path in (tmp_path / "records").iterdir()] == ["00001.json"]


def test_secret_stays_from_run_to_run(tmp_path: Path) -> None:
    assert len(_open(tmp_path).secret) == 32
    assert _open(tmp_path).secret == _open(tmp_path).secret


def test_void_match_stays_void(tmp_path: Path) -> None:
    _open(tmp_path).keep_void(MATCH, "too slow")

    assert _open(tmp_path).find(MATCH) == Kept(None)


def test_damaged_record_is_as_good_as_none(tmp_path: Path) -> None:
    folder = _open(tmp_path)
    changed = tuned_record()
    changed["outcome"]["ranks"].reverse()
    other_seed = tuned_record()
    other_seed["seed"] += 1
    other_seed["chain"] = chain(other_seed)

    for text in ("", "{", "[]", json.dumps(changed), json.dumps(other_seed)):
        folder.record_file(1).write_text(text)

        assert folder.find(MATCH) is None


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"document": {"game": "azure"}}, "holds another tournament"),
        ({"hashes": ["sha256:01", "sha256:00"]}, "other bot files"),
        ({"secret": bytes(32)}, "another secret"),
    ],
)
def test_folder_of_another_tournament_is_refused(
    tmp_path: Path, changes: dict[str, object], message: str
) -> None:
    _open(tmp_path)

    with pytest.raises(BadFolder, match=message):
        _open(tmp_path, **changes)


@pytest.mark.parametrize("text", ["", "[]", '{"format": 99}'])
def test_state_that_cannot_be_read_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "state.json").write_text(text)

    with pytest.raises(BadFolder):
        _open(tmp_path)
