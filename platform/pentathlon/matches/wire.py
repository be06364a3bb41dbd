"""Jobs and results as JSON, on their way between a worker and the web server. Free of Django.

Both sides use this module, so neither can drift from the other.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Any, Final, TypeVar
from uuid import UUID

import msgspec

from pentathlon.core.errors import InvalidInput
from pentathlon.fleet.announcements import Announcement
from pentathlon.matches.jobs import Claimed, EngineBuilds, Submission
from pentathlon_engines import GAMES
from pentathlon_engines.match.launcher import Usage
from pentathlon_engines.match.traces import Trace, TraceLine
from pentathlon_engines.runner import MatchReport

MOST_RESULTS: Final = 16
"""The most results in one request."""
_Json = dict[str, Any]  # Any: JSON
J = TypeVar("J")

# Values that no worker can measure are refused here: they would not fit into the columns.
_Seconds = Annotated[float, msgspec.Meta(ge=0, le=1e6)]
_Megabytes = Annotated[float, msgspec.Meta(ge=0, le=1e9)]
_ExitStatus = Annotated[int, msgspec.Meta(ge=-1024, le=1024)]
_Id = Annotated[int, msgspec.Meta(ge=0, le=10**18 - 1)]
_Build = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-z.+-]{1,40}$")]
_Count = Annotated[int, msgspec.Meta(ge=0, le=2**31 - 1)]


class _Usage(msgspec.Struct, forbid_unknown_fields=True):
    cpu_s: _Seconds
    wall_s: _Seconds
    memory_peak_mb: _Megabytes
    exit_status: _ExitStatus


class _Line(msgspec.Struct, array_like=True):
    way: str
    text: str
    size: _Count
    is_whole: bool = True


class _Trace(msgspec.Struct, forbid_unknown_fields=True):
    lines: list[_Line]
    requests: _Count
    cpu_ms: _Count
    wall_ms: _Count
    stdout_bytes: _Count
    stderr_bytes: _Count
    ended: bool


class _Builds(msgspec.Struct, forbid_unknown_fields=True):
    referee: _Build
    bots: _Build


class _Result(msgspec.Struct, forbid_unknown_fields=True):
    id: _Id
    token: UUID
    record: _Json
    logs: list[bytes]
    usage: list[_Usage]
    notes: list[list[tuple[int, str]]]
    traces: list[_Trace]
    starved_s: _Seconds
    watched_s: _Seconds
    builds: _Builds


def jobs_to_json(jobs: Sequence[Claimed]) -> list[_Json]:
    """Return claimed work of any kind as JSON."""
    return [msgspec.to_builtins(job, enc_hook=lambda game: game.info.key) for job in jobs]


def jobs_from_json(told: Sequence[object], kind: type[J]) -> list[J]:
    """Read what `jobs_to_json` made of jobs of a kind."""
    return [msgspec.convert(job, kind, dec_hook=lambda _, key: GAMES[key]) for job in told]


def announcement_to_json(announcement: Announcement) -> _Json:
    """Return an announcement as JSON, without what only its own host understands."""
    told: _Json = asdict(announcement)
    # The clocks of two hosts differ, but both count the same age.
    told["age_s"] = max(0.0, time.monotonic() - told.pop("began_s"))
    return {**told, "runtimes": list(announcement.runtimes), "untried": list(announcement.untried)}


def announcement_from_json(told: _Json, *, name: str) -> Announcement:
    """Read what `announcement_to_json` made and a serializer has checked."""
    facts = {**told, "name": name}
    began_s = time.monotonic() - facts.pop("age_s")
    return Announcement(**facts, began_s=began_s)


def submission_to_json(submission: Submission) -> _Json:
    """Return a result as JSON; logs are base64."""
    report = submission.report
    return {
        "id": submission.match_id,
        "token": str(submission.token),
        "record": report.record,
        "logs": msgspec.to_builtins(report.logs),
        "usage": [asdict(usage) for usage in report.usage],
        "notes": report.notes,
        "traces": [trace._asdict() for trace in report.traces],
        "starved_s": report.starved_s,
        "watched_s": report.watched_s,
        "builds": asdict(submission.builds),
    }


def submission_from_json(told: object) -> Submission:
    """Read what `submission_to_json` made; raise `InvalidInput` for anything else."""
    try:
        found = msgspec.convert(told, _Result)
    except msgspec.ValidationError as error:
        raise InvalidInput(f"The result cannot be read: {error}.", code="bad_result") from error
    report = MatchReport(
        record=found.record,  # type: ignore[arg-type]  # checked as a record by whoever stores it
        logs=found.logs,
        usage=[Usage(**msgspec.structs.asdict(usage)) for usage in found.usage],
        notes=found.notes,
        traces=[_trace(trace) for trace in found.traces],
        starved_s=found.starved_s,
        watched_s=found.watched_s,
    )
    builds = EngineBuilds(**msgspec.structs.asdict(found.builds))
    return Submission(match_id=found.id, token=found.token, report=report, builds=builds)


def _trace(told: _Trace) -> Trace:
    lines = [TraceLine(*msgspec.structs.astuple(line)) for line in told.lines]
    return Trace(**{**msgspec.structs.asdict(told), "lines": lines})
