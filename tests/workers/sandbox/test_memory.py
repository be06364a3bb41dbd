"""Copies of the host's files in memory: what they hold, and that they keep no trace."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from pentathlon_engines.match.launcher import BotCommand
from pentathlon_engines.match.limits import Limits
from tests.deep import mostly_deep
from workers.sandbox.files import memory, staging
from workers.sandbox.files.memory import MemoryFiles, find_memory
from workers.sandbox.files.runtime import Bind, Runtime
from workers.sandbox.files.staging import PREFIX, close_all, remove_tree
from workers.sandbox.launcher import SandboxLauncher
from workers.sandbox.profiles import NATIVE, PROFILES


@pytest.fixture
def launcher() -> Iterator[SandboxLauncher]:
    opened = SandboxLauncher()
    if opened.memory is None:
        pytest.skip("this host has no file system in memory in which programs may run")
    yield opened
    opened.close()


@pytest.fixture
def parent() -> Path:
    found = find_memory(os.geteuid())
    if found is None:
        pytest.skip("this host has no file system in memory in which programs may run")
    return found


@pytest.fixture
def host(tmp_path: Path) -> Runtime:
    """A runtime whose engines stand in a folder of their own."""
    engines = tmp_path / "engines"
    engines.mkdir()
    (engines / "board.py").write_text("board")
    (engines / "link.py").symlink_to("board.py")
    return Runtime(
        python="/bin/sh",
        binds=(
            Bind(source=Path("/usr"), target="/usr"),
            Bind(source=engines, target="/opt/pentathlon/engines"),
        ),
        links=(),
        engines=(engines,),
    )


def mounts_of(launcher: SandboxLauncher, command: BotCommand) -> dict[str, str]:
    """Return the kind of file system at each place that a bot sees."""
    bot = launcher.start(command, seat=0, limits=Limits())
    lines = Path(f"/proc/{bot.pid}/mountinfo").read_text().splitlines()
    bot.stop()
    words = [line.split() for line in lines]
    return {each[4]: each[each.index("-") + 1] for each in words}


@pytest.mark.parametrize("language", mostly_deep(sorted(PROFILES), keep=["python", "command"]))
def test_everything_that_a_bot_sees_is_in_memory(
    launcher: SandboxLauncher, tmp_path: Path, language: str
) -> None:
    if not PROFILES[language].is_installed():
        pytest.skip(f"there is no {language} here")
    argv = ("/bin/sleep", "9")
    mounts = mounts_of(launcher, BotCommand(folder=tmp_path, argv=argv, language=language))

    assert {"/", "/usr", "/bot", "/opt/pentathlon/pentathlon_engines", "/tmp"} <= set(mounts)
    assert {kind for place, kind in mounts.items() if not place.startswith("/dev/")} == {"tmpfs"}


def test_copy_holds_what_the_host_has(host: Runtime, parent: Path) -> None:
    files = MemoryFiles(parent)

    shown = files.copy_of(host, NATIVE)

    engines = shown.on_host("/opt/pentathlon/engines")
    assert engines.is_relative_to(parent)
    assert (engines / "board.py").read_text() == "board"
    assert (engines / "link.py").readlink() == Path("board.py")
    assert os.access(shown.on_host("/usr/bin/true").resolve(), os.X_OK)
    assert not shown.on_host("/usr/include").exists()
    files.close()
    assert not engines.exists()


def test_workers_share_one_copy_and_the_last_one_removes_it(host: Runtime, parent: Path) -> None:
    first, second = MemoryFiles(parent), MemoryFiles(parent)
    shown = [files.copy_of(host, NATIVE) for files in (first, second)]

    assert shown[0].binds == shown[1].binds
    first.close()
    assert second.is_complete()
    second.close()
    assert not shown[0].on_host("/usr").exists()


def test_process_without_exit_handlers_removes_its_copy(
    host: Runtime, parent: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(staging, "_all", [])  # those of other tests stay
    files = MemoryFiles(parent)
    shown = files.copy_of(host, NATIVE)

    close_all()

    assert not shown.on_host("/usr").exists()
    assert not files.staging.folder.exists()


def test_copy_of_a_changed_host_is_another(host: Runtime, parent: Path) -> None:
    first, second = MemoryFiles(parent), MemoryFiles(parent)
    before = first.copy_of(host, NATIVE)
    (host.engines[0] / "board.py").write_text("a newer board")

    after = second.copy_of(host, NATIVE)

    assert after.on_host("/opt/pentathlon/engines/board.py").read_text() == "a newer board"
    assert before != after
    first.close()
    second.close()


def test_damaged_copy_is_made_again(host: Runtime, parent: Path) -> None:
    first, second = MemoryFiles(parent), MemoryFiles(parent)
    damaged = first.copy_of(host, NATIVE).on_host("/opt/pentathlon/engines/board.py")
    damaged.unlink()

    assert not first.is_complete()
    first.forget()
    for files in (first, second):
        board = files.copy_of(host, NATIVE).on_host("/opt/pentathlon/engines/board.py")
        assert board.read_text() == "board"
    first.close()
    second.close()


def test_folder_of_a_stranger_is_not_joined(host: Runtime, parent: Path) -> None:
    key = memory._plan(host, NATIVE).key()
    planted = parent / f"{PREFIX}{os.geteuid()}-{key}"
    planted.mkdir()
    (planted / "file").touch()
    lock = os.open(planted, os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_SH)  # so that nobody sweeps it away
    files = MemoryFiles(parent)

    shown = files.copy_of(host, NATIVE)

    assert not shown.on_host("/usr").is_relative_to(planted)
    files.close()
    remove_tree(planted)
    os.close(lock)


def test_link_out_of_sight_takes_nothing_along(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret")
    shown = tmp_path / "shown"
    shown.mkdir()
    (shown / "link").symlink_to(secret)
    plan = memory._Plan(visible=[str(shown)])

    plan.add(shown)

    assert plan.links == {f"{shown}/link": str(secret)}
    assert plan.files == {}


def test_host_without_room_in_memory_lends_its_own_files(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("workers.sandbox.launcher.find_memory", lambda _: None)
    launcher = SandboxLauncher()

    mounts = mounts_of(launcher, BotCommand(folder=tmp_path, argv=("/bin/sleep", "9")))

    assert launcher.memory is None
    assert "memory" not in launcher.layers
    assert "/usr" in mounts
    launcher.close()


@pytest.mark.parametrize(("flags", "is_found"), [(0, True), (os.ST_NOEXEC, False)])
def test_memory_in_which_no_program_may_run_does_not_count(
    parent: Path, flags: int, is_found: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Status:
        f_flag = flags

    monkeypatch.setattr(os, "statvfs", lambda _: Status())

    assert (find_memory(os.geteuid()) is not None) is is_found
