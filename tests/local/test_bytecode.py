import subprocess
import sys
from pathlib import Path

import pytest

from pentathlon.local.servers.runtime import shared_bytecode


@pytest.fixture(autouse=True)
def _variables_come_back(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX"):
        monkeypatch.setenv(name, "")


def cache_of_an_import(folder: Path) -> Path:
    """Import a module in a process of its own; return where its bytecode belongs."""
    (folder / "module.py").touch()
    ended = subprocess.run(
        [sys.executable, "-c", "import module; print(module.__cached__)"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    return Path(ended.stdout.strip())


def test_bytecode_lies_outside_the_tree_and_goes_with_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    with shared_bytecode():
        cache = cache_of_an_import(tmp_path)
        assert cache.exists()

    assert not cache.exists()
    assert [path.name for path in tmp_path.iterdir()] == ["module.py"]


def test_who_keeps_bytecode_anyway_keeps_it_in_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)

    with shared_bytecode():
        cache = cache_of_an_import(tmp_path)

    assert cache.parent == tmp_path / "__pycache__"
    assert cache.exists()
