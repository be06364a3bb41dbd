"""What one bot used in a match, turn by turn and against its limits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pentathlon.matches.models import MatchSeat
from pentathlon_engines.match.events import Event
from pentathlon_engines.match.faults import FaultKind
from pentathlon_engines.match.traces import Trace
from pentathlon_engines.record.shape import Record


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One request to a bot and what it took."""

    ply: int
    cpu_ms: int
    wall_ms: int
    is_fault: bool = False
    """It ended with the bot's fault."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
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


def turns_of(place: MatchSeat, record: Record, trace: Trace | None) -> list[Turn]:
    """Return all requests that this seat's bot was given, a last one with its fault included."""
    turns = [
        Turn(ply=ply, cpu_ms=event.cpu_ms, wall_ms=event.wall_ms)
        for ply, event in enumerate(map(Event.of, record["events"]))
        if event.seat == place.seat and event.is_by_bot
    ]
    # A bot that ran in the turn of another was not asked for anything.
    was_asked = place.fault_kind != FaultKind.OUT_OF_TURN
    if trace is not None and trace.requests and place.fault_ply is not None and was_asked:
        cpu_ms, wall_ms = trace.cpu_ms, trace.wall_ms
        turns.append(Turn(ply=place.fault_ply, cpu_ms=cpu_ms, wall_ms=wall_ms, is_fault=True))
    return turns


def uses_of(place: MatchSeat, record: Record, trace: Trace | None) -> list[Use]:
    """Return what the bot used beside what it was allowed."""
    turns, limits = turns_of(place, record, trace), record["limits"]
    cpu = [turn.cpu_ms / 1000 for turn in turns]
    idle = [max(0, turn.wall_ms - turn.cpu_ms) / 1000 for turn in turns]
    rows = (
        ("action_cpu", "CPU time, slowest action", _most(cpu), "action_cpu_s", "s"),
        ("match_cpu", "CPU time, all actions", sum(cpu), "match_cpu_s", "s"),
        ("process_cpu", "CPU time with its start", place.cpu_ms / 1000, None, "s"),
        ("action_wall", "Asleep at most, one action", _most(idle), "action_wall_s", "s"),
        ("match_wall", "Asleep at most, all actions", sum(idle), "match_wall_s", "s"),
        ("memory", "Memory at its peak", place.memory_peak_mb, "memory_mb", "MiB"),
        ("stdout", "Standard output", place.stdout_bytes, "stdout_bytes", "bytes"),
        ("stderr", "Standard error", place.stderr_bytes, "stderr_bytes", "bytes"),
    )
    return [
        # A record of earlier has no limit that was made later.
        Use(name=name, label=label, used=used, limit=limits.get(limit or ""), unit=unit)
        for name, label, used, limit, unit in rows
    ]


def _most(values: Sequence[float]) -> float:
    return max(values, default=0.0)
