from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from workers.sandbox.files import staging as module
from workers.sandbox.files.staging import (
    Inventory,
    Staging,
    can_reach,
    close_all,
    copy_tree,
    is_readable_by,
    remove_tree,
)

STRANGER = 54321


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    folder = tmp_path / "tree"
    (folder / "inner").mkdir(parents=True)
    (folder / "inner" / "text").write_text("text")
    (folder / "program").write_text("#!/bin/sh\n")
    (folder / "program").chmod(0o700)
    return folder


def open_all(path: Path) -> None:
    for parent in path.parents:
        if parent.stat().st_uid == os.geteuid() and parent != Path("/"):
            parent.chmod(parent.stat().st_mode | 0o001)


def test_folder_is_traversable_but_not_listable() -> None:
    staging = Staging()

    assert stat.S_IMODE(staging.folder.stat().st_mode) == 0o711
    assert can_reach(staging.new_folder() / "file", STRANGER)


def test_close_removes_all() -> None:
    staging = Staging()
    (staging.new_folder() / "file").write_text("x")

    staging.close()

    assert not staging.folder.exists()


def test_living_owner_keeps_its_folder() -> None:
    first = Staging()

    Staging().close()

    assert first.folder.is_dir()


def test_folder_that_somebody_removed_is_made_again() -> None:
    staging = Staging()
    remove_tree(staging.folder)

    made = staging.new_folder()
    Staging().close()

    assert made.is_dir(), "it is locked against sweeps"
    staging.close()
    assert not made.parent.exists()


def test_end_of_a_process_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_all", [])  # those of other tests stay
    stagings = [Staging(), Staging()]

    close_all()

    assert not any(staging.folder.exists() for staging in stagings)


def test_every_place_for_temporary_files_is_swept(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "var"
    left = elsewhere / "pentathlon-sandbox-left"
    left.mkdir(parents=True)
    monkeypatch.setattr(module, "_TEMPORARY", (tmp_path, elsewhere))

    Staging().close()

    assert not left.exists()


def test_inventory_is_complete_until_something_is_missing(tree: Path) -> None:
    inventory = Inventory(tree)
    (tree / "more").touch()
    assert inventory.is_complete()

    (tree / "inner" / "text").unlink()

    assert not inventory.is_complete()


def test_temporary_folder_out_of_reach_is_not_used(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    tmp_path.chmod(0o700)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    assert not Staging().folder.is_relative_to(tmp_path)


def test_owner_reads_everything(tree: Path) -> None:
    (tree / "inner").chmod(0o700)

    assert is_readable_by(tree, os.geteuid())


@pytest.mark.parametrize("closed", ["..", ".", "inner", "inner/text", "program"])
def test_stranger_needs_every_part(tree: Path, tmp_path: Path, closed: str) -> None:
    (tree / "program").chmod(0o755)
    open_all(tree)
    part = tree / closed
    part.chmod(part.stat().st_mode & ~0o007)

    assert not is_readable_by(tree, STRANGER)


def test_file_that_vanishes_meanwhile_keeps_nobody_out(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_all(tree)
    (tree / "program").chmod(0o755)
    walk = os.walk

    def walk_while_it_vanishes(path: Path) -> Iterator[tuple[str, list[str], list[str]]]:
        for found in walk(path):
            if "text" in found[2]:
                (tree / "inner" / "text").unlink()
            yield found

    monkeypatch.setattr(os, "walk", walk_while_it_vanishes)

    assert is_readable_by(tree, STRANGER)


def test_copy_can_be_read_by_all_and_keeps_what_is_executable(tree: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"

    copy_tree(tree, copy)

    assert stat.S_IMODE((copy / "inner" / "text").stat().st_mode) == 0o644
    assert stat.S_IMODE((copy / "program").stat().st_mode) == 0o755
    assert stat.S_IMODE((copy / "inner").stat().st_mode) == 0o755
    assert (copy / "program").stat().st_mtime_ns == (tree / "program").stat().st_mtime_ns


def test_file_that_vanishes_meanwhile_is_left_out_of_a_copy(tree: Path, tmp_path: Path) -> None:
    def remove(folder: str, names: list[str]) -> list[str]:
        if "text" in names:
            Path(folder, "text").unlink()
        return []

    copy_tree(tree, tmp_path / "copy", ignore=remove)

    assert (tmp_path / "copy" / "program").is_file()
    assert not (tmp_path / "copy" / "inner" / "text").exists()


def test_copy_keeps_links_and_never_follows_them(tree: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    (tree / "link").symlink_to(tmp_path / "secret")
    (tree / "folder").symlink_to(tmp_path)

    copy_tree(tree, tmp_path / "copy")

    assert (tmp_path / "copy" / "link").is_symlink()
    assert (tmp_path / "copy" / "folder").is_symlink()


def test_deep_and_closed_folders_are_removed(tmp_path: Path) -> None:
    made = tmp_path / "made"
    made.mkdir()
    here = Path.cwd()
    os.chdir(made)
    for number in range(1500):
        Path("d" * 200).mkdir()
        Path(f"file{number}").touch()
        os.chdir("d" * 200)
    Path("closed").mkdir(mode=0o000)
    os.chdir(here)

    remove_tree(made)

    assert not made.exists()


def test_removal_follows_no_link(tree: Path, tmp_path: Path) -> None:
    made = tmp_path / "made"
    made.mkdir()
    (made / "link").symlink_to(tree)

    remove_tree(made)

    assert (tree / "inner" / "text").read_text() == "text"
    assert not made.exists()


def test_folder_that_cannot_be_looked_at_stops_no_sweep(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad, left = (tmp_path / f"{module.PREFIX}{name}" for name in ("a", "b"))
    bad.mkdir()
    left.mkdir()
    lstat = Path.lstat

    def fail(path: Path) -> os.stat_result:
        if path == bad:
            raise PermissionError(path)
        return lstat(path)

    monkeypatch.setattr(Path, "lstat", fail)

    module.sweep(tmp_path)

    assert (bad.is_dir(), left.exists()) == (True, False)


def test_fork_of_its_maker_removes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    staging = Staging()
    with monkeypatch.context() as patch:
        patch.setattr("os.getpid", lambda: -1)
        staging._locked.remove()

    assert staging.folder.is_dir()
    staging.close()


def test_single_file_is_copied_for_all(tree: Path, tmp_path: Path) -> None:
    copy_tree(tree / "program", tmp_path / "copy")

    assert stat.S_IMODE((tmp_path / "copy").stat().st_mode) == 0o755


def test_link_keeps_nobody_out(tree: Path) -> None:
    open_all(tree)
    (tree / "program").chmod(0o755)
    (tree / "link").symlink_to("nowhere")

    assert is_readable_by(tree, STRANGER)


def test_machine_without_an_open_place_uses_its_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_parents", lambda: [tmp_path, tmp_path / "other"])
    monkeypatch.setattr(module, "can_reach", lambda path, uid: False)

    made = Staging()

    assert made.folder.parent == tmp_path
    made.close()


def test_inventory_notices_what_has_changed(tree: Path) -> None:
    inventory = Inventory(tree)

    (tree / "inner" / "text").write_text("other text")

    assert not inventory.is_complete()
