"""Engines are compiled beside a running platform."""

import time
from pathlib import Path

import pytest

from pentathlon.local.environment import compiled_build
from pentathlon.local.environment.compiled_build import Compilation
from tests.patience import PATIENCE_S


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def taken_over() -> list[Path]:
    return []


@pytest.fixture
def build(
    tmp_path: Path, said: list[str], taken_over: list[Path], monkeypatch: pytest.MonkeyPatch
) -> Compilation:
    monkeypatch.setattr(compiled_build, "has_compiler", lambda: True)
    return Compilation(log=tmp_path / "logs/compiler.log", done=taken_over.append, say=said.append)


def build_with(program: str, kept: Path | None, patch: pytest.MonkeyPatch) -> None:
    """Let a shell's program stand for the compiler; `kept` is there once it has run."""
    patch.setattr(compiled_build, "_NICE", ("sh", "-c", program, "19"))
    answers = iter([None])
    patch.setattr(compiled_build, "kept_engines", lambda: next(answers, kept))


def wait_for_the_end(build: Compilation, said: list[str]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not said:
        assert time.monotonic() < deadline
        build.look()
        time.sleep(0.01)


def test_worker_gets_what_was_built_once(
    build: Compilation, said: list[str], taken_over: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    build_with("exit 0", Path("/built"), monkeypatch)

    build.start()
    wait_for_the_end(build, said)
    build.look()

    assert taken_over == [Path("/built")]
    assert len(said) == 1
    assert said[0].startswith("The worker plays with compiled engines from now on (built in ")


def test_failed_build_is_told_once_and_changes_nothing(
    build: Compilation, said: list[str], taken_over: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    build_with("echo no room left; exit 1", None, monkeypatch)

    build.start()
    wait_for_the_end(build, said)
    build.look()

    assert taken_over == []
    assert said == [
        "The engines are not compiled, because compiling failed: no room left",
    ]


def test_session_of_the_build_gives_way_to_others(
    build: Compilation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build_with("exit 0", Path("/built"), monkeypatch)
    monkeypatch.setattr(compiled_build, "_AUTOGROUP", f"{tmp_path}/{{}}")

    build.start()
    build.stop()

    assert [path.read_text() for path in tmp_path.glob("[0-9]*")] == ["19"]


@pytest.mark.parametrize("path", ["/proc/{}/no-such-file", "/proc/{}/stat"])
def test_kernel_without_groups_of_sessions_builds_all_the_same(
    path: str, build: Compilation, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    build_with("exit 0", Path("/built"), monkeypatch)
    monkeypatch.setattr(compiled_build, "_AUTOGROUP", path)

    build.start()
    wait_for_the_end(build, said)

    assert "built in" in said[0]


@pytest.mark.parametrize("has_compiler", [True, False], ids=["built before", "no compiler"])
def test_nothing_is_built_where_it_is_of_no_use(
    has_compiler: bool,
    build: Compilation,
    said: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(compiled_build, "has_compiler", lambda: has_compiler)
    monkeypatch.setattr(
        compiled_build, "kept_engines", lambda: Path("/built") if has_compiler else None
    )

    build.start()
    build.look()
    build.stop()

    assert (said, (tmp_path / "logs").exists()) == ([], False)
