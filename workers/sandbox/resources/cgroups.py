"""Control groups: one for each bot, made before it starts and removed when it has ended."""

from __future__ import annotations

import os
import secrets
import signal
import time
from collections.abc import Mapping
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from typing import Final

from workers.sandbox.errors import LayerMissing
from workers.sandbox.resources.cgroup_files import CgroupInterface
from workers.sandbox.resources.cgroup_hosts import CgroupHost, find_host

PREFIX: Final = "pentathlon-bot-"


class CgroupUse(StrEnum):
    """The bots that get a group on a host that allows groups."""

    NEVER = "never"
    FOR_CHILDREN = "for_children"
    """Bots that may start processes; the limits of the others are exact without a group.

    Price: a single process may exceed its memory limit for a tick of 20 ms; RLIMIT_AS bounds it.
    """
    ALWAYS = "always"
    """All bots; their limits then also cover the kernel's memory for them. Costs about 10 ms."""


_LONGEST_REMOVAL_S = 5.0
_REMOVAL_TICK_S = 0.001
_LARGEST_CHARGE = 64 * 4096
"""The largest step in which the kernel charges memory to a group, unless it can split it."""
_REMEDY = "Let the worker make groups below its own, or run the worker as root."


class Group:
    """The control group of one bot, with everything that the bot starts."""

    def __init__(self, interface: CgroupInterface, folders: Mapping[str, Path]) -> None:
        self._interface = interface
        self._folders = folders
        self._memory_limit = 0

    @property
    def folders(self) -> set[Path]:
        """The folders of the group, one for each hierarchy."""
        return set(self._folders.values())

    def limit(self, *, memory_bytes: int, tasks: int) -> None:
        """Limit what all processes of the group hold together, and keep them out of swap."""
        self._memory_limit = memory_bytes
        interface = self._interface
        for control in interface.memory_limits:
            control.write(self._folders, str(memory_bytes))
        for control in interface.no_swap:
            control.write(self._folders, "0")
        for control in interface.kill_together:
            control.write(self._folders, "1")
        interface.tasks_limit.write(self._folders, str(tasks))

    def admit(self, pid: int) -> None:
        """Put a process into the group, and with it every process that it starts from now on."""
        for folder in self.folders:
            (folder / "cgroup.procs").write_text(str(pid))

    def cpu_s(self) -> float:
        """Return the CPU seconds used in the group, including processes that have ended."""
        return self._interface.cpu_s.read(self._folders)

    def memory_bytes(self) -> int:
        """Return the memory of the processes and their scratch folder, without cached files."""
        return int(sum(each.read(self._folders) for each in self._interface.memory_bytes))

    def memory_peak_bytes(self) -> int:
        """Return the largest memory so far, including cached files and the kernel's share."""
        return int(self._interface.memory_peak_bytes.read(self._folders))

    def memory_kills(self) -> int:
        """Return how many processes the kernel killed because the group reached its limit."""
        return self._kills() if self._is_exhausted() else 0

    def foreign_kills(self) -> int:
        """Return how many processes the kernel killed for memory below the group's own limit."""
        return 0 if self._is_exhausted() else self._kills()

    def _kills(self) -> int:
        return int(self._interface.memory_kills.read(self._folders))

    def _is_exhausted(self) -> bool:
        exhausted = self._interface.memory_exhausted
        if exhausted is not None:
            return exhausted.read(self._folders) > 0
        return self.memory_peak_bytes() > self._memory_limit - _LARGEST_CHARGE

    def tasks(self) -> int:
        """Return the number of threads in all processes."""
        return int(self._interface.tasks.read(self._folders))

    def tasks_refused(self) -> int:
        """Return how often the kernel refused a thread or process."""
        return int(self._interface.tasks_refused.read(self._folders))

    def freeze(self) -> None:
        """Stop every process from running."""
        self._interface.freezer.write(self._folders, self._interface.frozen)

    def thaw(self) -> None:
        """Let every process run again."""
        self._interface.freezer.write(self._folders, self._interface.thawed)

    def kill(self) -> None:
        """Kill every process; a frozen one of version 1 dies when it is thawed."""
        if self._interface.kill_all is not None:
            self._interface.kill_all.write(self._folders, "1")
        for pid in self.processes():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def processes(self) -> set[int]:
        """Return the processes in the group."""
        return {
            int(pid)
            for folder in self.folders
            for pid in (folder / "cgroup.procs").read_text().split()
        }

    def remove(self) -> None:
        """Remove the group and kill what still runs in it; idempotent."""
        deadline = time.monotonic() + _LONGEST_REMOVAL_S
        for folder in self.folders:
            while not _is_removed(folder):
                if time.monotonic() > deadline:
                    raise TimeoutError(f"{folder} is still in use after {_LONGEST_REMOVAL_S:g} s")
                with suppress(OSError):
                    self.kill()
                    self.thaw()
                time.sleep(_REMOVAL_TICK_S)


class Cgroups:
    """Makes groups below the worker's own; the constructor raises `LayerMissing` if that fails."""

    def __init__(self, host: CgroupHost | None = None) -> None:
        self._host = host or find_host()
        _sweep(self._host)
        try:
            self._try_one()
        except OSError as error:
            reason = f"version {self.version}: {error}"
            raise LayerMissing("cgroup", reason=reason, remedy=_REMEDY) from error

    @property
    def version(self) -> int:
        """The version of the kernel's interface."""
        return self._host.interface.version

    @property
    def parents(self) -> set[Path]:
        """The folders below which groups are made."""
        return set(self._host.parents.values())

    def new_group(self) -> Group:
        """Make an empty group."""
        name = f"{own_prefix()}{secrets.token_hex(4)}"
        folders = {controller: parent / name for controller, parent in self._host.parents.items()}
        made: list[Path] = []
        try:
            for folder in dict.fromkeys(folders.values()):
                folder.mkdir()
                made.append(folder)
        except OSError:
            for folder in made:
                folder.rmdir()
            raise
        return Group(self._host.interface, folders)

    def _try_one(self) -> None:
        trial = self.new_group()
        try:
            trial.limit(memory_bytes=1 << 30, tasks=16)
            trial.cpu_s()
        finally:
            trial.remove()


def own_prefix() -> str:
    """Return the prefix of this process's groups, unique on the host.

    The prefix names the namespace too: containers may share a hierarchy, but their process ids are
    their own.
    """
    return f"{PREFIX}{_namespace()}-{os.getpid()}-"


def _namespace() -> int:
    return Path("/proc/self/ns/pid").stat().st_ino


def _is_removed(folder: Path) -> bool:
    try:
        folder.rmdir()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


def _sweep(host: CgroupHost) -> None:
    """Remove the groups of dead workers of this namespace.

    Their bots died with them, except frozen ones, which die when they are thawed.
    """
    ours = f"{PREFIX}{_namespace()}-"
    found = {folder.name for parent in host.parents.values() for folder in parent.glob(f"{ours}*")}
    for name in found:
        maker = name.removeprefix(ours).partition("-")[0]
        if maker.isdigit() and not _is_alive(int(maker)):
            _remove_left(host, name)


def _remove_left(host: CgroupHost, name: str) -> None:
    """Remove a group of a dead worker, which may have had only some of these parents."""
    folders = {
        controller: parent / name
        for controller, parent in host.parents.items()
        if (parent / name).exists()
    }
    if host.interface.freezer.controller in folders:
        # Processes that do not die at once are left to the next worker.
        with suppress(TimeoutError):
            Group(host.interface, folders).remove()
    for folder in folders.values():
        _is_removed(folder)


def _is_alive(pid: int) -> bool:
    # Do not look into /proc, which may show another namespace.
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass
    return True
