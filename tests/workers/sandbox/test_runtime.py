"""The files of the host that bots see: which Python, and which engines."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest

from workers.sandbox.files import runtime
from workers.sandbox.files.runtime import Bind, Runtime, find_runtime, library_path
from workers.sandbox.files.staging import Staging

NOBODY = 65534
SHARED = "abc__mypyc.cpython-311.so"
PLAIN = Runtime(
    python="/usr/bin/python3",
    binds=(
        Bind(source=Path("/usr"), target="/usr"),
        Bind(source=Path("/staged/engines"), target="/opt/pentathlon/engines"),
    ),
    links=(),
    engines=(Path("/staged/engines"),),
)


@pytest.fixture
def staging() -> Iterator[Staging]:
    made = Staging()
    yield made
    made.close()


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let a compiled build of the engines stand in the place of ours."""
    folder = tmp_path / "pentathlon_engines"
    folder.mkdir()
    for name in ("board.py", "board.cpython-311.so", "compiled.txt"):
        (folder / name).touch()
    (tmp_path / SHARED).touch()
    monkeypatch.setattr(runtime, "_package", lambda: folder)
    return folder


def python_that_prints(folder: Path, text: str) -> Path:
    program = folder / "python3"
    program.write_text(f"#!/bin/sh\necho '{text}'\n")
    program.chmod(0o755)
    return program


@pytest.mark.parametrize(
    ("path", "on_host"),
    [
        ("/opt/pentathlon/engines/board.py", "/staged/engines/board.py"),
        ("/usr/bin/python3", "/usr/bin/python3"),
        ("/opt/else", "/opt/else"),
    ],
)
def test_path_that_a_bot_sees_is_found_on_the_host(path: str, on_host: str) -> None:
    assert PLAIN.on_host(path) == Path(on_host)


def test_host_without_compiled_engines_shows_all_bots_the_same() -> None:
    assert PLAIN.with_compiled() is PLAIN


def test_compiled_engines_stand_where_the_sources_stood() -> None:
    both = replace(PLAIN, compiled=(Path("/own/engines"), Path("/own/abc.so")))

    shown = both.with_compiled()

    assert shown.engines == both.compiled
    assert [str(bind.source) for bind in shown.binds] == ["/usr", "/own/engines", "/own/abc.so"]
    assert shown.on_host("/opt/pentathlon/engines") == Path("/own/engines")


@pytest.mark.parametrize(
    ("printed", "is_recent"),
    [("3 11", True), ("3 12", True), ("4 0", True), ("3 9", False), ("", False)],
)
def test_system_python_is_taken_if_it_is_recent_enough(
    printed: str, is_recent: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = python_that_prints(tmp_path, printed)
    monkeypatch.setattr(runtime, "_SYSTEM_PYTHON", program)

    chosen = runtime._bot_python()

    assert (chosen == str(program)) is is_recent


def test_host_without_a_system_python_lends_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runtime, "_SYSTEM_PYTHON", tmp_path / "none")

    assert runtime._bot_python() == str(Path(sys.executable).resolve())


def test_python_outside_of_the_system_gets_the_path_of_its_library() -> None:
    assert library_path(Path("/usr/bin/python3")) == {}
    assert library_path(Path("/opt/py/bin/python3")) == {"LD_LIBRARY_PATH": "/opt/py/lib"}


@pytest.mark.parametrize(
    ("suffix", "is_shown"), [(EXTENSION_SUFFIXES[0], True), (".cpython-39-other.so", False)]
)
def test_compiled_engines_are_for_a_python_that_loads_them(
    suffix: str,
    is_shown: bool,
    package: Path,
    staging: Staging,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    program = python_that_prints(package.parent, suffix)
    monkeypatch.setattr(runtime, "_SYSTEM_PYTHON", program)
    monkeypatch.setattr(runtime, "_is_recent", lambda _: True)

    found = find_runtime(staging, uid=NOBODY)

    assert {path.name for path in found.compiled} == (
        {package.name, SHARED} if is_shown else set()
    )


def test_bots_that_get_no_compiled_engines_see_nothing_of_them(
    package: Path, staging: Staging, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runtime, "_loads_our_extensions", lambda _: False)

    found = find_runtime(staging, uid=NOBODY)

    (sources,) = found.engines
    assert sources != package
    assert [path.name for path in sources.iterdir()] == ["board.py"]
