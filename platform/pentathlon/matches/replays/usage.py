"""Resource use of one bot in a match, request by request and against its limits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pentathlon.matches.models import MatchSeat
from pentathlon_engines.match.events import Event
from pentathlon_engines.match.faults import FaultKind
from pentathlon_engines.match.traces import Trace
from pentathlon_engines.record.shape import Record


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestCost:
    """One request to a bot, and the time it took."""

    ply: int
    cpu_ms: int
    wall_ms: int
    is_fault: bool = False
    """Whether it ended with a fault of the bot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitUsage:
    """One figure of a match, and the limit it must not pass."""

    name: str
    label: str
    used: float
    limit: float | None
    unit: str

    @property
    def share(self) -> float | None:
        """How much of the limit was used, at most 1; None without a limit."""
        return min(1.0, self.used / self.limit) if self.limit else None


def request_costs(seat: MatchSeat, record: Record, trace: Trace | None) -> list[RequestCost]:
    """Return all requests to this seat's bot, including a last one that ended with its fault."""
    costs = [
        RequestCost(ply=ply, cpu_ms=event.cpu_ms, wall_ms=event.wall_ms)
        for ply, event in enumerate(map(Event.of, record["events"]))
        if event.seat == seat.seat and event.is_by_bot
    ]
    # A bot that ran out of turn had no request.
    was_asked = seat.fault_kind != FaultKind.OUT_OF_TURN
    if trace is not None and trace.requests and seat.fault_ply is not None and was_asked:
        cpu_ms, wall_ms = trace.cpu_ms, trace.wall_ms
        costs.append(
            RequestCost(ply=seat.fault_ply, cpu_ms=cpu_ms, wall_ms=wall_ms, is_fault=True)
        )
    return costs


def limit_usage(seat: MatchSeat, record: Record, trace: Trace | None) -> list[LimitUsage]:
    """Return what the bot used, next to what it was allowed."""
    costs, limits = request_costs(seat, record, trace), record["limits"]
    cpu = [cost.cpu_ms / 1000 for cost in costs]
    idle = [max(0, cost.wall_ms - cost.cpu_ms) / 1000 for cost in costs]
    rows = (
        ("action_cpu", "CPU time, slowest action", _most(cpu), "action_cpu_s", "s"),
        ("match_cpu", "CPU time, all actions", sum(cpu), "match_cpu_s", "s"),
        ("process_cpu", "CPU time with its start", seat.cpu_ms / 1000, None, "s"),
        ("action_wall", "Asleep at most, one action", _most(idle), "action_wall_s", "s"),
        ("match_wall", "Asleep at most, all actions", sum(idle), "match_wall_s", "s"),
        ("memory", "Memory at its peak", seat.memory_peak_mb, "memory_mb", "MiB"),
        ("stdout", "Standard output", seat.stdout_bytes, "stdout_bytes", "bytes"),
        ("stderr", "Standard error", seat.stderr_bytes, "stderr_bytes", "bytes"),
    )
    return [
        # An old record lacks limits that were introduced after it.
        LimitUsage(name=name, label=label, used=used, limit=limits.get(limit or ""), unit=unit)
        for name, label, used, limit, unit in rows
    ]


def _most(values: Sequence[float]) -> float:
    return max(values, default=0.0)
