"""Records of matches between random players, made without any process."""

import random
from collections.abc import Sequence
from typing import Any

from pentathlon.matches.jobs import EngineBuilds, Job, Submission
from pentathlon.matches.models import Match
from pentathlon.matches.replays.services import accept_results
from pentathlon_engines import GAMES
from pentathlon_engines.match.faults import Fault, FaultKind
from pentathlon_engines.match.launcher import Usage
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.match.referee import Referee
from pentathlon_engines.match.traces import Trace, TraceLine
from pentathlon_engines.record.record import seal
from pentathlon_engines.record.shape import Header, Record
from pentathlon_engines.runner import MatchReport


def record_of(
    job: Job,
    *,
    luck: int = 1,
    fault_at: int | None = None,
    fault: FaultKind = FaultKind.CPU_TIME,
    detail: str = "used 1.2 s of CPU time",
    all_fail: bool = False,
) -> Record:
    """Return the record of a match played at random; `luck` makes it another match."""
    rng = random.Random(luck)
    referee = Referee(
        game=GAMES[job.game], seats=len(job.seats), options=job.options, seed=job.seed
    )
    for failed in range(len(job.seats)) if all_fail else ():
        ended = "ended before it was ready"
        referee.expel(Fault(FaultKind.STARTUP, seat=failed, ply=0, detail=ended))
    options = referee.state.options  # as asked for; chance may fill in what was left to it
    while (seat := referee.seat_to_ask()) is not None:
        if referee.ply == fault_at:
            referee.expel(Fault(fault, seat=seat, ply=fault_at, detail=detail))
            continue
        action = rng.choice(referee.request().legal)
        referee.accept(action, cpu_ms=rng.randrange(3), wall_ms=rng.randrange(3, 9))
    assert referee.outcome is not None
    return seal(
        _header(job, options),
        events=referee.events,
        faults=referee.faults,
        outcome=referee.outcome,
    )


def submit(
    job: Job, record: Record, *, logs: Sequence[str] = ("", ""), traces: Sequence[Trace] = ()
) -> Match:
    """Hand in a record as a worker does."""
    report = report_of(
        record,
        seats=len(job.seats),
        logs=[log.encode() for log in logs],
        traces=list(traces),
    )
    submission = submission_of(job, report)
    for refusal in accept_results([submission]):
        if refusal is not None:
            raise refusal
    return Match.objects.get(pk=job.match_id)


def submission_of(job: Job, report: MatchReport) -> Submission:
    """Return what a worker hands in."""
    builds = EngineBuilds(referee="0.1.0", bots="0.1.0")
    return Submission(match_id=job.match_id, token=job.token, report=report, builds=builds)


def report_of(record: Record, *, seats: int = 2, **changes: Any) -> MatchReport:
    """Return what the runner says of a match of honest bots."""
    facts: dict[str, Any] = {
        "logs": [b""] * seats,
        "notes": [[] for _ in range(seats)],
        "usage": [usage()] * seats,
        "traces": [],
    }
    return MatchReport(record=record, **{**facts, **changes})


def usage() -> Usage:
    """Return what an honest process used."""
    return Usage(cpu_s=0.05, wall_s=0.4, memory_peak_mb=12.5, exit_status=0)


def trace(**changes: Any) -> Trace:
    """Return what was said before a bot failed in its second request."""
    facts: dict[str, Any] = {
        "lines": [
            TraceLine(">", '{"type":"act","ply":2}', 22),
            TraceLine("<", '{"act', 5, is_whole=False),
        ],
        "requests": 2,
        "cpu_ms": 1200,
        "wall_ms": 1300,
        "stdout_bytes": 42,
        "stderr_bytes": 7,
        "ended": True,
    }
    return Trace(**{**facts, **changes})


def _header(job: Job, options: dict[str, Any]) -> Header:
    return {
        "game": job.game,
        "rules": job.rules_version,
        "seats": len(job.seats),
        "options": options,
        "seed": job.seed,
        "match": job.told_name,
        "bots": [{"name": seat.name, "hash": seat.content_hash} for seat in job.seats],
        "limits": Limits.from_json(job.limits).to_json(),
        "sandbox": "namespaces",
        "layers": [],
    }
