"""Files at the desk are whole or not there."""

import json
import os
import stat
from pathlib import Path

import pytest

from pentathlon_engines.desk.record_files import read_json, write_record, write_whole
from tests.engines.record.random_records import tuned_record


def test_file_is_replaced_with_its_folder_made(tmp_path: Path) -> None:
    path = tmp_path / "new" / "sums"

    write_whole(path, b"first")
    write_whole(path, b"second")

    assert path.read_bytes() == b"second"
    assert stat.S_IMODE(path.stat().st_mode) == 0o644
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_write_that_fails_leaves_the_old_file_and_nothing_else(
    step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "sums"
    write_whole(path, b"first")

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os if step == "fsync" else Path, step, fail)

    with pytest.raises(OSError, match="No space left"):
        write_whole(path, b"second")

    assert path.read_bytes() == b"first"
    assert list(tmp_path.iterdir()) == [path]


def test_file_and_its_name_reach_the_disk_in_this_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[tuple[str, list[str]]] = []

    def note(descriptor: int) -> None:
        kind = "folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "file"
        synced.append((kind, [path.suffix for path in tmp_path.iterdir()]))

    monkeypatch.setattr(os, "fsync", note)

    write_whole(tmp_path / "sums.txt", b"first")

    assert synced == [("file", [".part"]), ("folder", [".txt"])]


def test_record_is_one_line_of_json(tmp_path: Path) -> None:
    record = tuned_record()

    write_record(tmp_path / "match.json", record)

    text = (tmp_path / "match.json").read_text()
    assert text.endswith("}\n")
    assert json.loads(text) == read_json(tmp_path / "match.json") == record


@pytest.mark.parametrize(
    "text", [None, "", "{", "[" * 100_000], ids=["none", "empty", "half", "deep"]
)
def test_file_without_json_is_nothing(text: str | None, tmp_path: Path) -> None:
    path = tmp_path / "match.json"
    if text is not None:
        path.write_text(text)

    assert read_json(path) is None
