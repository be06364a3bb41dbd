"""The files of a control group, as the two versions of the kernel's interface name them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """One number that the kernel keeps: a whole file, or the line of it that begins with `key`."""

    controller: str
    file: str
    key: str = ""
    unit: float = 1

    def read(self, folders: Mapping[str, Path]) -> float:
        """Return the number now; 0 when this kernel does not keep it."""
        text = (folders[self.controller] / self.file).read_text()
        if not self.key:
            return int(text) * self.unit
        lines = (line.partition(" ") for line in text.splitlines())
        return next((int(value) * self.unit for key, _, value in lines if key == self.key), 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """A file that takes a value; an `optional` one need not be there."""

    controller: str
    file: str
    optional: bool = False

    def write(self, folders: Mapping[str, Path], value: str) -> None:
        """Set the value; `OSError` when the kernel refuses it."""
        path = folders[self.controller] / self.file
        if not (self.optional and not path.exists()):
            path.write_text(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """One version of the interface."""

    version: int
    controllers: tuple[str, ...]
    """What must be there, each in a hierarchy that this process may write to."""
    memory_limits: tuple[Setting, ...]
    no_swap: tuple[Setting, ...]
    """Set to 0; where memory and swap are counted together, there is nothing to set."""
    kill_together: tuple[Setting, ...]
    tasks_limit: Setting
    freezer: Setting
    frozen: str
    thawed: str
    kill_all: Setting | None
    """Kills every process at once; without it they are killed one by one."""
    cpu_s: Reading
    memory_bytes: tuple[Reading, ...]
    """Added up: what was written to memory, not what a file system could read again."""
    memory_peak_bytes: Reading
    memory_kills: Reading
    """By whomever: also when not the group but the host was out of memory."""
    memory_exhausted: Reading | None
    """How often the group's own limit was reached; None where only the peak tells."""
    tasks: Reading
    tasks_refused: Reading


V2: Final = Dialect(
    version=2,
    controllers=("memory", "pids"),
    memory_limits=(Setting(controller="memory", file="memory.max"),),
    no_swap=(Setting(controller="memory", file="memory.swap.max", optional=True),),
    kill_together=(Setting(controller="memory", file="memory.oom.group", optional=True),),
    tasks_limit=Setting(controller="pids", file="pids.max"),
    freezer=Setting(controller="pids", file="cgroup.freeze"),
    frozen="1",
    thawed="0",
    kill_all=Setting(controller="pids", file="cgroup.kill", optional=True),
    cpu_s=Reading(controller="pids", file="cpu.stat", key="usage_usec", unit=1e-6),
    memory_bytes=(
        Reading(controller="memory", file="memory.stat", key="anon"),
        Reading(controller="memory", file="memory.stat", key="shmem"),
    ),
    memory_peak_bytes=Reading(controller="memory", file="memory.peak"),
    memory_kills=Reading(controller="memory", file="memory.events", key="oom_kill"),
    memory_exhausted=Reading(controller="memory", file="memory.events", key="oom"),
    tasks=Reading(controller="pids", file="pids.current"),
    tasks_refused=Reading(controller="pids", file="pids.events", key="max"),
)

V1: Final = Dialect(
    version=1,
    controllers=("memory", "pids", "cpuacct", "freezer"),
    memory_limits=(
        Setting(controller="memory", file="memory.limit_in_bytes"),
        Setting(controller="memory", file="memory.memsw.limit_in_bytes", optional=True),
    ),
    no_swap=(),
    kill_together=(),
    tasks_limit=Setting(controller="pids", file="pids.max"),
    freezer=Setting(controller="freezer", file="freezer.state"),
    frozen="FROZEN",
    thawed="THAWED",
    kill_all=None,
    cpu_s=Reading(controller="cpuacct", file="cpuacct.usage", unit=1e-9),
    memory_bytes=(
        Reading(controller="memory", file="memory.stat", key="rss"),
        Reading(controller="memory", file="memory.stat", key="shmem"),
    ),
    memory_peak_bytes=Reading(controller="memory", file="memory.max_usage_in_bytes"),
    memory_kills=Reading(controller="memory", file="memory.oom_control", key="oom_kill"),
    # `memory.failcnt` stays 0 on newer kernels.
    memory_exhausted=None,
    tasks=Reading(controller="pids", file="pids.current"),
    tasks_refused=Reading(controller="pids", file="pids.events", key="max"),
)
