"""The files of a control group under the two versions of the kernel's interface."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """A number that the kernel keeps: a whole file, or its line that begins with `key`."""

    controller: str
    file: str
    key: str = ""
    unit: float = 1

    def read(self, folders: Mapping[str, Path]) -> float:
        """Return the current number; 0 when this kernel does not keep it."""
        text = (folders[self.controller] / self.file).read_text()
        if not self.key:
            return int(text) * self.unit
        lines = (line.partition(" ") for line in text.splitlines())
        return next((int(value) * self.unit for key, _, value in lines if key == self.key), 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    """A file that takes a value; an `optional` one may be missing."""

    controller: str
    file: str
    optional: bool = False

    def write(self, folders: Mapping[str, Path], value: str) -> None:
        """Set the value; `OSError` when the kernel refuses it."""
        path = folders[self.controller] / self.file
        if not (self.optional and not path.exists()):
            path.write_text(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class CgroupInterface:
    """One version of the interface."""

    version: int
    controllers: tuple[str, ...]
    """The controllers needed, each in a hierarchy that this process may write to."""
    memory_limits: tuple[Control, ...]
    no_swap: tuple[Control, ...]
    """Controls that are set to 0; empty where memory and swap are counted together."""
    kill_together: tuple[Control, ...]
    tasks_limit: Control
    freezer: Control
    frozen: str
    thawed: str
    kill_all: Control | None
    """Kills every process at once; None if they must be killed one by one."""
    cpu_s: Metric
    memory_bytes: tuple[Metric, ...]
    """The parts of the memory in use; file pages that can be read again do not count."""
    memory_peak_bytes: Metric
    memory_kills: Metric
    """All kills for memory, including those when the host, not the group, ran out."""
    memory_exhausted: Metric | None
    """How often the group reached its own limit; None if only the peak shows that."""
    tasks: Metric
    tasks_refused: Metric


V2: Final = CgroupInterface(
    version=2,
    controllers=("memory", "pids"),
    memory_limits=(Control(controller="memory", file="memory.max"),),
    no_swap=(Control(controller="memory", file="memory.swap.max", optional=True),),
    kill_together=(Control(controller="memory", file="memory.oom.group", optional=True),),
    tasks_limit=Control(controller="pids", file="pids.max"),
    freezer=Control(controller="pids", file="cgroup.freeze"),
    frozen="1",
    thawed="0",
    kill_all=Control(controller="pids", file="cgroup.kill", optional=True),
    cpu_s=Metric(controller="pids", file="cpu.stat", key="usage_usec", unit=1e-6),
    memory_bytes=(
        Metric(controller="memory", file="memory.stat", key="anon"),
        Metric(controller="memory", file="memory.stat", key="shmem"),
    ),
    memory_peak_bytes=Metric(controller="memory", file="memory.peak"),
    memory_kills=Metric(controller="memory", file="memory.events", key="oom_kill"),
    memory_exhausted=Metric(controller="memory", file="memory.events", key="oom"),
    tasks=Metric(controller="pids", file="pids.current"),
    tasks_refused=Metric(controller="pids", file="pids.events", key="max"),
)

V1: Final = CgroupInterface(
    version=1,
    controllers=("memory", "pids", "cpuacct", "freezer"),
    memory_limits=(
        Control(controller="memory", file="memory.limit_in_bytes"),
        Control(controller="memory", file="memory.memsw.limit_in_bytes", optional=True),
    ),
    no_swap=(),
    kill_together=(),
    tasks_limit=Control(controller="pids", file="pids.max"),
    freezer=Control(controller="freezer", file="freezer.state"),
    frozen="FROZEN",
    thawed="THAWED",
    kill_all=None,
    cpu_s=Metric(controller="cpuacct", file="cpuacct.usage", unit=1e-9),
    memory_bytes=(
        Metric(controller="memory", file="memory.stat", key="rss"),
        Metric(controller="memory", file="memory.stat", key="shmem"),
    ),
    memory_peak_bytes=Metric(controller="memory", file="memory.max_usage_in_bytes"),
    memory_kills=Metric(controller="memory", file="memory.oom_control", key="oom_kill"),
    # `memory.failcnt` stays 0 on newer kernels.
    memory_exhausted=None,
    tasks=Metric(controller="pids", file="pids.current"),
    tasks_refused=Metric(controller="pids", file="pids.events", key="max"),
)
