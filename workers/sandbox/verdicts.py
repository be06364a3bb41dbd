"""Which limit a bot has broken: one named verdict for each way of failing."""

from __future__ import annotations

import signal
from dataclasses import dataclass
from typing import Final

from pentathlon_engines.match.faults import FaultKind
from pentathlon_engines.match.launcher import Breach, Usage
from pentathlon_engines.match.limits import Limits
from workers.sandbox.burden import Burden
from workers.sandbox.rlimits import MEBIBYTE, most_cpu_s

_NEARLY_FULL: Final = 0.99
"""A file system with less room than this refuses most writes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Traces:
    """What the kernel noted about a bot by its end, besides what it used."""

    killed_for_memory: bool = False
    killed_by_host: bool = False
    """Whether the kernel ended a process of it because the host's memory was used up."""
    task_refused: bool = False
    scratch_bytes: int = 0
    host_full: bool = False
    """Whether the host's disk had less room than the bot may use."""


def breach_of(now: Burden, limits: Limits) -> Breach | None:
    """Return the limit that a running bot breaks with what it holds."""
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


def explain_end(usage: Usage, limits: Limits, traces: Traces) -> Breach | None:
    """Return the limit that explains the end of a bot, or None for a crash."""
    return (
        _explain_signal(usage, limits)
        or _explain_memory(usage, limits, traces)
        or _explain_refusal(usage, limits, traces)
    )


def too_much_cpu(cpu_s: float, limits: Limits) -> Breach:
    """Say that a bot used more CPU time than its whole life may take."""
    allowed = f"{most_cpu_s(limits):g} s are allowed, its start included"
    detail = f"used {cpu_s:.2f} s of CPU time; {allowed}"
    return Breach(kind=FaultKind.CPU_TIME, detail=detail)


def killed_for_memory(limits: Limits) -> Breach:
    """Say that the kernel ended processes because the bot's memory was used up."""
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


def _explain_memory(usage: Usage, limits: Limits, traces: Traces) -> Breach | None:
    if usage.memory_peak_mb > limits.memory_mb:
        return _too_much_memory(usage.memory_peak_mb, limits)
    return killed_for_memory(limits) if traces.killed_for_memory else None


def _explain_refusal(usage: Usage, limits: Limits, traces: Traces) -> Breach | None:
    """Explain a bot that gave up because the kernel would not give it more."""
    if usage.exit_status in (0, -signal.SIGKILL):
        return None
    if traces.task_refused:
        detail = f"wanted more than {limits.tasks} threads and processes, and ended"
        return Breach(kind=FaultKind.PROCESSES, detail=detail)
    if traces.scratch_bytes >= _NEARLY_FULL * limits.scratch_mb * MEBIBYTE:
        detail = f"filled its scratch folder of {limits.scratch_mb} MiB, and ended"
        return Breach(kind=FaultKind.SCRATCH, detail=detail)
    return None


def _too_much_memory(used_mb: float, limits: Limits) -> Breach:
    detail = f"held {used_mb:.0f} MiB of memory; {limits.memory_mb} MiB are allowed"
    return Breach(kind=FaultKind.MEMORY, detail=detail)
