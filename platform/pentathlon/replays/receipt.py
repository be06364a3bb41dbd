"""What a record must say about its match, and what it says about each seat."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from pentathlon.common.texts import storable
from pentathlon.matches.jobs import SeatResult
from pentathlon.matches.models import Match
from pentathlon_engines import GAMES
from pentathlon_engines.match.faults import RecordedFault
from pentathlon_engines.match.launcher import Usage
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.match.trace import Trace
from pentathlon_engines.record.record import events_by
from pentathlon_engines.record.shape import Record

NOTES_KEPT: Final = 100
"""How many notes of a bot are kept of a match, the last ones."""


def expected_header(match: Match) -> dict[str, Any]:  # Any: values of `Header`
    """Return the fields that follow from the match row; load seats and versions before."""
    seats = sorted(match.seats.all(), key=lambda seat: seat.seat)
    return {
        "game": match.game,
        "rules": match.rules_version,
        "seats": len(seats),
        "options": GAMES[match.game].info.check_options(match.options),
        "seed": match.seed,
        "match": match.told_name,
        "bots": [{"name": str(seat.version), "hash": seat.version.archive_id} for seat in seats],
        "limits": Limits.from_json(match.limits).to_json(),
    }


def seat_results(
    record: Record,
    *,
    logs: Sequence[str],
    notes: Sequence[Sequence[tuple[int, str]]],
    usage: Sequence[Usage],
    traces: Sequence[Trace] = (),
) -> tuple[SeatResult, ...]:
    """Return what a verified record and the launcher's figures say about each seat."""
    ranks, scores = record["outcome"]["ranks"], record["outcome"]["scores"]
    faults = {fault["seat"]: fault for fault in record["faults"]}
    if len(faults) == record["seats"]:
        # A worker of an older release says that all are best where all have lost.
        ranks = [1] * record["seats"]
    return tuple(
        SeatResult(
            rank=ranks[seat],
            score=None if scores is None else scores[seat],
            cpu_ms=round(usage[seat].cpu_s * 1000),
            actions=sum(event.is_by_bot for event in events_by(record, seat)),
            wall_ms=sum(event.wall_ms for event in events_by(record, seat)),
            memory_peak_mb=usage[seat].memory_peak_mb,
            exit_status=usage[seat].exit_status,
            log=storable(logs[seat]),
            notes=tuple((ply, storable(note)) for ply, note in notes[seat][-NOTES_KEPT:]),
            **_fault_fields(faults.get(seat)),
            **(_trace_fields(traces[seat], kept=seat in faults) if traces else {}),
        )
        for seat in range(record["seats"])
    )


def _fault_fields(fault: RecordedFault | None) -> dict[str, Any]:  # Any: fields of SeatResult
    if fault is None:
        return {}
    told = {**fault, "detail": storable(fault["detail"])}
    return {f"fault_{name}": told[name] for name in ("kind", "ply", "detail")}


def _trace_fields(trace: Trace, *, kept: bool) -> dict[str, Any]:  # Any: fields of SeatResult
    told = {"stdout_bytes": trace.stdout_bytes, "stderr_bytes": trace.stderr_bytes}
    return {**told, "trace": trace._asdict()} if kept else told
