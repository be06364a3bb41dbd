"""Finds the hierarchies and folders in which a worker may make control groups."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from workers.sandbox.errors import LayerMissing
from workers.sandbox.resources.cgroup_files import V1, V2, CgroupInterface

LEAF: Final = "pentathlon-workers"
"""The group a worker moves into: the kernel delegates nothing below a group with processes."""

_REMEDY = (
    "Give the workers a control group of their own: `Delegate=yes` in a systemd unit, a writable"
    " cgroup in the pod's runtime class, or run them as root. Without it only bots of one"
    " process are played."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CgroupHost:
    """An interface and, by controller, the folder in which groups are made."""

    interface: CgroupInterface
    parents: Mapping[str, Path]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Hierarchy:
    version: int
    controllers: frozenset[str]
    folder: Path
    """The control group of this process."""


def find_host(*, mounts: str | None = None, memberships: str | None = None) -> CgroupHost:
    """Return the newest interface that this process may use; it may move into a leaf group.

    The arguments replace the text of /proc/self/mountinfo and /proc/self/cgroup.

    Raises:
        LayerMissing: names what each interface lacks.
    """
    found = list(
        _hierarchies(
            Path("/proc/self/mountinfo").read_text() if mounts is None else mounts,
            Path("/proc/self/cgroup").read_text() if memberships is None else memberships,
        )
    )
    reasons = []
    for interface, parents in ((V2, _parents_v2), (V1, _parents_v1)):
        try:
            return CgroupHost(interface=interface, parents=parents(found))
        except OSError as error:
            reasons.append(f"version {interface.version}: {error}")
    raise LayerMissing("cgroup", reason="; ".join(reasons), remedy=_REMEDY)


def outlive_bots(*, mounts: str | None = None, memberships: str | None = None) -> bool:
    """Make the kernel kill processes one by one when this group runs out of memory.

    Containers are often configured to be killed as a whole: a bot would take its worker along and
    escape its loss. Return False if this is configured so and cannot be changed.
    """
    with suppress(OSError):
        found = _hierarchies(
            Path("/proc/self/mountinfo").read_text() if mounts is None else mounts,
            Path("/proc/self/cgroup").read_text() if memberships is None else memberships,
        )
        own = next((each.folder for each in found if each.version == V2.version), None)
        # If the worker went into a leaf, the container's own group is its parent.
        groups = (own, own.parent) if own and own.name == LEAF else (own,)
        settings = [each / "memory.oom.group" for each in groups if each]
        return not [path for path in settings if path.exists() and not _set_to_zero(path)]
    return True


def _set_to_zero(path: Path) -> bool:
    """Set a file to 0 unless it is 0 already; return whether it is 0 now."""
    if path.read_text().strip() == "0":
        return True
    try:
        path.write_text("0")
    except OSError:
        return False
    return True


def _hierarchies(mounts: str, memberships: str) -> Iterator[_Hierarchy]:
    own = dict(_own_groups(memberships))
    for line in mounts.splitlines():
        before, _, after = line.partition(" - ")
        root, folder = before.split()[3:5]
        kind, _, options = after.split()[:3]
        if kind == "cgroup2" and "" in own:
            group = _group_folder(Path(folder), root, own[""])
            with suppress(OSError):
                names = (group / "cgroup.controllers").read_text().split()
                yield _Hierarchy(version=2, controllers=frozenset(names), folder=group)
        elif kind == "cgroup":
            names = [name for name in options.split(",") if name in own]
            if names:
                group = _group_folder(Path(folder), root, own[names[0]])
                yield _Hierarchy(version=1, controllers=frozenset(names), folder=group)


def _own_groups(memberships: str) -> Iterator[tuple[str, str]]:
    """Yield (controller, group); version 2 has the controller ""."""
    for line in memberships.splitlines():
        _, names, group = line.split(":", 2)
        yield from ((name, group) for name in names.split(","))


def _group_folder(mounted_at: Path, root: str, group: str) -> Path:
    """Return the folder of a group; `root` is the group that is mounted."""
    return mounted_at / os.path.relpath(group, root)


def _parents_v1(found: list[_Hierarchy]) -> dict[str, Path]:
    old = [each for each in found if each.version == V1.version]
    parents = {name: each.folder for each in old for name in each.controllers}
    for name in V1.controllers:
        if name not in parents:
            raise OSError(f"there is no cgroup hierarchy with {name}")
        if not os.access(parents[name], os.W_OK):
            raise OSError(f"{parents[name]} is not writable")
    return {name: parents[name] for name in V1.controllers}


def _parents_v2(found: list[_Hierarchy]) -> dict[str, Path]:
    own = next((each for each in found if each.version == V2.version), None)
    missing = sorted(set(V2.controllers) - (own.controllers if own else frozenset()))
    if own is None or missing:
        raise OSError(f"there is no cgroup hierarchy with {' and '.join(missing)}")
    folder = own.folder.parent if own.folder.name == LEAF else own.folder
    if not os.access(folder / "cgroup.subtree_control", os.W_OK):
        raise OSError(f"{folder} is not writable")
    if not _delegates(folder):
        _delegate(folder)
    return dict.fromkeys(V2.controllers, folder)


def _delegates(folder: Path) -> bool:
    return set(V2.controllers) <= set((folder / "cgroup.subtree_control").read_text().split())


def _delegate(folder: Path) -> None:
    """Move into a leaf, then allow limits below the folder; undo both on failure."""
    leaf = folder / LEAF
    leaf.mkdir(exist_ok=True)
    moved = _movable(folder)
    try:
        _move(moved, leaf)
        wanted = " ".join(f"+{name}" for name in V2.controllers)
        (folder / "cgroup.subtree_control").write_text(wanted)
    except OSError as error:
        with suppress(OSError):
            _move(moved, folder)
            leaf.rmdir()
        raise OSError(f"other processes share {folder} ({error.strerror})") from error


def _movable(folder: Path) -> list[int]:
    """Return the processes to move: all of them in a container, elsewhere only this one."""
    found = [int(pid) for pid in (folder / "cgroup.procs").read_text().split()]
    return found if 1 in found else [os.getpid()]


def _move(processes: list[int], folder: Path) -> None:
    for pid in processes:
        with suppress(ProcessLookupError):
            (folder / "cgroup.procs").write_text(str(pid))
