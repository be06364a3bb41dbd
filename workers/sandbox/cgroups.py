"""Control groups: one for each bot, made before it begins and removed when it has ended."""

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

from workers.sandbox.cgroup_files import Dialect
from workers.sandbox.cgroup_hosts import Host, find_host
from workers.sandbox.errors import LayerMissing

PREFIX: Final = "pentathlon-bot-"


class Use(StrEnum):
    """Which bots get a group, where groups can be made."""

    NEVER = "never"
    FOR_CHILDREN = "for_children"
    """Bots that may start processes; the limits of all others are exact without."""
    ALWAYS = "always"
    """Every bot: its memory limit then covers what the kernel holds for it. Costs some 10 ms."""


_LONGEST_REMOVAL_S = 5.0
_REMOVAL_TICK_S = 0.001
_LARGEST_CHARGE = 64 * 4096
"""So much memory at a time the kernel takes for a group, at most, but for what it can split."""
_REMEDY = "Let the worker's own group have room below it, or run the worker as root."


class Group:
    """The control group of one bot: everything that the bot starts is in it."""

    def __init__(self, dialect: Dialect, folders: Mapping[str, Path]) -> None:
        self._dialect = dialect
        self._folders = folders
        self._memory_limit = 0

    @property
    def folders(self) -> set[Path]:
        """The folders of the group, one for each hierarchy."""
        return set(self._folders.values())

    def limit(self, *, memory_bytes: int, tasks: int) -> None:
        """Bound what all processes of the group hold together; they cannot be swapped out."""
        self._memory_limit = memory_bytes
        dialect = self._dialect
        for setting in dialect.memory_limits:
            setting.write(self._folders, str(memory_bytes))
        for setting in dialect.no_swap:
            setting.write(self._folders, "0")
        for setting in dialect.kill_together:
            setting.write(self._folders, "1")
        dialect.tasks_limit.write(self._folders, str(tasks))

    def admit(self, pid: int) -> None:
        """Put a process into the group; what it starts from now on is in it, too."""
        for folder in self.folders:
            (folder / "cgroup.procs").write_text(str(pid))

    def cpu_s(self) -> float:
        """Return the CPU seconds used in the group, also by processes that have ended."""
        return self._dialect.cpu_s.read(self._folders)

    def memory_bytes(self) -> int:
        """Return what the processes and their scratch folder hold now, without cached files."""
        return int(sum(each.read(self._folders) for each in self._dialect.memory_bytes))

    def memory_peak_bytes(self) -> int:
        """Return the most that was ever held, cached files and the kernel's share included."""
        return int(self._dialect.memory_peak_bytes.read(self._folders))

    def memory_kills(self) -> int:
        """Return how many processes were killed because the group's memory was used up."""
        return self._kills() if self._is_exhausted() else 0

    def foreign_kills(self) -> int:
        """Return how many were killed for memory while the group had not reached its own limit."""
        return 0 if self._is_exhausted() else self._kills()

    def _kills(self) -> int:
        return int(self._dialect.memory_kills.read(self._folders))

    def _is_exhausted(self) -> bool:
        exhausted = self._dialect.memory_exhausted
        if exhausted is not None:
            return exhausted.read(self._folders) > 0
        return self.memory_peak_bytes() > self._memory_limit - _LARGEST_CHARGE

    def tasks(self) -> int:
        """Return the number of threads in all processes."""
        return int(self._dialect.tasks.read(self._folders))

    def tasks_refused(self) -> int:
        """Return how often a thread or process was refused."""
        return int(self._dialect.tasks_refused.read(self._folders))

    def freeze(self) -> None:
        """Stop every process from running."""
        self._dialect.freezer.write(self._folders, self._dialect.frozen)

    def thaw(self) -> None:
        """Let every process run again."""
        self._dialect.freezer.write(self._folders, self._dialect.thawed)

    def kill(self) -> None:
        """Kill every process; a frozen one of version 1 dies when it is thawed."""
        if self._dialect.kill_all is not None:
            self._dialect.kill_all.write(self._folders, "1")
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
        """Remove the group with whatever still runs in it; idempotent."""
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
    """Makes groups below the worker's own; making it raises `LayerMissing` where that fails."""

    def __init__(self, host: Host | None = None) -> None:
        self._host = host or find_host()
        _sweep(self._host)
        try:
            self._try_one()
        except OSError as error:
            reason = f"version {self.version}: {error}"
            raise LayerMissing("cgroup", reason=reason, remedy=_REMEDY) from error

    @property
    def version(self) -> int:
        """Which of the kernel's interfaces is used."""
        return self._host.dialect.version

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
        return Group(self._host.dialect, folders)

    def _try_one(self) -> None:
        trial = self.new_group()
        try:
            trial.limit(memory_bytes=1 << 30, tasks=16)
            trial.cpu_s()
        finally:
            trial.remove()


def own_prefix() -> str:
    """Return how the groups of this process are called, on all of the host.

    Process ids mean nothing outside of their namespace, and containers may share a hierarchy.
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


def _sweep(host: Host) -> None:
    """Remove the groups of workers of this namespace that are gone; their bots died with them."""
    ours = f"{PREFIX}{_namespace()}-"
    for parent in set(host.parents.values()):
        for folder in parent.glob(f"{ours}*"):
            maker = folder.name.removeprefix(ours).partition("-")[0]
            if maker.isdigit() and not _is_alive(int(maker)):
                _is_removed(folder)


def _is_alive(pid: int) -> bool:
    # Not by /proc, which may show another namespace.
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass
    return True
