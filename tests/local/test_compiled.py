import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pentathlon.env import CHECKOUT
from pentathlon.local.environment import compiled_build
from pentathlon.local.environment.compiled_build import CannotCompile, compiled_engines, main

NO_COMPILER = "There is no C compiler"


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PENTATHLON_DATA", str(tmp_path))
    return tmp_path / "compiled"


def test_builder_names_the_compiler_that_is_missing(tmp_path: Path) -> None:
    script = str(CHECKOUT / "engines/build_compiled.py")

    built = subprocess.run(
        [sys.executable, script, "--to", str(tmp_path)],
        env={"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert built.returncode == 1
    assert NO_COMPILER in built.stderr
    assert "Traceback" not in built.stderr


def test_failed_build_says_why(
    kept: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(kept))

    with pytest.raises(CannotCompile, match=NO_COMPILER):
        compiled_engines()

    assert main() == 1
    assert NO_COMPILER in capsys.readouterr().err
    assert list(kept.iterdir()) == []


def test_build_of_these_sources_is_not_built_again(
    kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiled_build, "_digest", lambda: "same")
    (kept / "same").mkdir(parents=True)

    assert compiled_engines() == kept / "same"


def test_drafts_of_killed_builds_are_removed_and_count_as_none(kept: Path) -> None:
    old = time.time() - 2 * 24 * 3600
    for name in ("draft-dead", "draft-alive", "first", "second", "third", "fourth"):
        (kept / name).mkdir(parents=True)
        if name != "draft-alive":
            old += 1
            os.utime(kept / name, (old, old))

    compiled_build._forget_old(kept)

    assert {each.name for each in kept.iterdir()} == {"draft-alive", "second", "third", "fourth"}
