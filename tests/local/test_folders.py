"""The data folder and the run-time folder: private, held by one, swept after a crash."""

import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from pentathlon.local.servers.runtime import runtime_folder
from pentathlon.local.supervisor import AlreadyRunning, only_one


@pytest.fixture
def base(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Use a short folder of our own for temporary files."""
    with tempfile.TemporaryDirectory(prefix="t-") as folder:
        monkeypatch.setattr(tempfile, "gettempdir", lambda: folder)
        yield Path(folder)


def test_runtime_folder_is_private_and_removed(base: Path) -> None:
    with runtime_folder() as folder:
        (folder / "socket").touch()
        mode = folder.stat().st_mode & 0o777

    assert mode == 0o700
    assert not folder.exists()


def test_runtime_folder_leaves_room_for_the_name_of_a_socket(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tempfile, "gettempdir", lambda: "/tmp/" + "deep/" * 30)

    with runtime_folder() as folder:
        assert len(os.fsencode(folder / ".s.PGSQL.5432")) < 107


def test_folder_of_a_dead_process_is_swept_away(base: Path) -> None:
    dead = subprocess.Popen(["true"])
    dead.wait()
    left, living = base / f"ptl-{dead.pid}-abc", base / f"ptl-{os.getpid()}-abc"
    left.mkdir()
    living.mkdir()

    with runtime_folder():
        assert not left.exists()
        assert living.exists()


def test_data_folder_is_held_by_one(tmp_path: Path) -> None:
    with (
        only_one(tmp_path, address="http://localhost:8000"),
        pytest.raises(AlreadyRunning, match="http://localhost:8000"),
        only_one(tmp_path, address="http://localhost:8001"),
    ):
        pass


def test_data_folder_is_free_again_afterwards(tmp_path: Path) -> None:
    for _ in range(2):
        with only_one(tmp_path, address="http://localhost:8000"):
            held = (tmp_path / "up.lock").read_text()

        assert held == "http://localhost:8000"
