"""Finds the limit that a bot has broken, while it runs and when it has ended."""

from __future__ import annotations

import signal
from dataclasses import dataclass
from typing import Final

from pentathlon_engines.match.faults import FaultKind
from pentathlon_engines.match.launcher import Breach, Usage
from pentathlon_engines.match.limits import Limits
from workers.sandbox.resources.rlimits import MEBIBYTE, most_cpu_s

_NEARLY_FULL: Final = 0.99
"""The share of its size from which a file system refuses most writes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Footprint:
    """The resources that a bot holds at one moment."""

    threads: int
    resident_bytes: int
    scratch_files: int
    scratch_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Traces of a bot that has ended, in the kernel and on disk, besides its usage."""

    killed_for_memory: bool = False
    killed_by_host: bool = False
    """Whether the kernel killed one of its processes because the host ran out of memory."""
    task_refused: bool = False
    scratch_bytes: int = 0
    host_full: bool = False
    """Whether the host's disk had less room than the bot might still use."""


def breach_of(now: Footprint, limits: Limits) -> Breach | None:
    """Return the limit that the footprint of a running bot breaks."""
    resident_mb = now.resident_bytes / MEBIBYTE
    if resident_mb > limits.memory_mb:
        return _too_much_memory(resident_mb, limits)
    if now.threads > limits.tasks:
        detail = f"ran {now.threads} threads; {limits.tasks} are allowed"
        return Breach(kind=FaultKind.PROCESSES, detail=detail)
    if now.scratch_files > limits.scratch_files:
        detail = f"made more than {limits.scratch_files} files in its scratch folder"
        return Breach(kind=FaultKind.SCRATCH, detail=detail)
    if now.scratch_bytes > limits.scratch_mb * MEBIBYTE:
        detail = f"wrote more than {limits.scratch_mb} MiB to its scratch folder"
        return Breach(kind=FaultKind.SCRATCH, detail=detail)
    return None


def explain_end(usage: Usage, limits: Limits, evidence: Evidence) -> Breach | None:
    """Return the limit that explains the end of a bot, or None for a crash."""
    return (
        _explain_signal(usage, limits)
        or _explain_memory(usage, limits, evidence)
        or _explain_refusal(usage, limits, evidence)
    )


def too_much_cpu(cpu_s: float, limits: Limits) -> Breach:
    """Return the breach of a bot that used more CPU time than its whole life may take."""
    allowed = f"{most_cpu_s(limits):g} s are allowed, its start included"
    detail = f"used {cpu_s:.2f} s of CPU time; {allowed}"
    return Breach(kind=FaultKind.CPU_TIME, detail=detail)


def killed_for_memory(limits: Limits) -> Breach:
    """Return the breach of a bot whose processes the kernel killed for memory."""
    detail = f"used up its memory; {limits.memory_mb} MiB are allowed"
    return Breach(kind=FaultKind.MEMORY, detail=detail)


def _explain_signal(usage: Usage, limits: Limits) -> Breach | None:
    ended_by = -usage.exit_status
    if ended_by == signal.SIGSYS:
        return Breach(kind=FaultKind.SECURITY, detail="a forbidden system call")
    if ended_by == signal.SIGXCPU or (
        ended_by == signal.SIGKILL and usage.cpu_s >= most_cpu_s(limits)
    ):
        return too_much_cpu(usage.cpu_s, limits)
    if ended_by == signal.SIGXFSZ:
        detail = f"wrote a file of more than {limits.scratch_mb} MiB"
        return Breach(kind=FaultKind.SCRATCH, detail=detail)
    return None


def _explain_memory(usage: Usage, limits: Limits, evidence: Evidence) -> Breach | None:
    if usage.memory_peak_mb > limits.memory_mb:
        return _too_much_memory(usage.memory_peak_mb, limits)
    return killed_for_memory(limits) if evidence.killed_for_memory else None


def _explain_refusal(usage: Usage, limits: Limits, evidence: Evidence) -> Breach | None:
    """Explain a bot that gave up because the kernel would not give it more."""
    if usage.exit_status in (0, -signal.SIGKILL):
        return None
    if evidence.task_refused:
        detail = f"wanted more than {limits.tasks} threads and processes, and ended"
        return Breach(kind=FaultKind.PROCESSES, detail=detail)
    if evidence.scratch_bytes >= _NEARLY_FULL * limits.scratch_mb * MEBIBYTE:
        detail = f"filled its scratch folder of {limits.scratch_mb} MiB, and ended"
        return Breach(kind=FaultKind.SCRATCH, detail=detail)
    return None


def _too_much_memory(used_mb: float, limits: Limits) -> Breach:
    detail = f"held {used_mb:.0f} MiB of memory; {limits.memory_mb} MiB are allowed"
    return Breach(kind=FaultKind.MEMORY, detail=detail)
