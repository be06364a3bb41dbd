"""Jobs and results as JSON, on their way between a worker and the web server. Free of Django.

Both sides use this module, so neither can drift from the other.
"""

from __future__ import annotations

import re
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
from pentathlon_engines.match.traces import Trace
from pentathlon_engines.runner import MatchReport

MOST_RESULTS: Final = 16
"""The most results in one request."""
_Json = dict[str, Any]  # Any: JSON
J = TypeVar("J")

_Seconds = Annotated[float, msgspec.Meta(ge=0, le=1e6)]
_Id = Annotated[int, msgspec.Meta(ge=0, le=10**18 - 1)]
_BUILD: Final = re.compile(r"[0-9a-z.+-]{1,40}")
_MOST_S: Final = 1e6
_MOST: Final = 2**31 - 1
_LARGEST_STATUS: Final = 1024


class _Result(msgspec.Struct, forbid_unknown_fields=True):
    id: _Id
    token: UUID
    record: _Json
    logs: list[bytes]
    usage: list[Usage]
    notes: list[list[tuple[int, str]]]
    traces: list[Trace]
    starved_s: _Seconds
    watched_s: _Seconds
    builds: EngineBuilds

    def fits(self) -> bool:
        """Return whether its values fit into the columns; all that a worker can measure do."""
        seconds = [time_s for each in self.usage for time_s in (each.cpu_s, each.wall_s)]
        counts = [each.memory_peak_mb for each in self.usage]
        for trace in self.traces:
            counts += (trace.requests, trace.cpu_ms, trace.wall_ms)
            counts += (
                trace.stdout_bytes,
                trace.stderr_bytes,
                *(line.size for line in trace.lines),
            )
        return (
            all(0 <= time_s <= _MOST_S for time_s in seconds)
            and all(0 <= number <= _MOST for number in counts)
            and all(abs(each.exit_status) <= _LARGEST_STATUS for each in self.usage)
            and all(_BUILD.fullmatch(name) for name in (self.builds.referee, self.builds.bots))
        )


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
    facts = {name: getattr(report, name) for name in MatchReport.__dataclass_fields__}
    told: _Json = msgspec.to_builtins(
        {**facts, "token": submission.token, "builds": submission.builds}
    )
    return {"id": submission.match_id, **told}


def submission_from_json(told: object) -> Submission:
    """Read what `submission_to_json` made; raise `InvalidInput` for anything else."""
    try:
        found = msgspec.convert(told, _Result)
    except msgspec.ValidationError as error:
        raise InvalidInput(f"The result cannot be read: {error}.", code="bad_result") from error
    if not found.fits():
        raise InvalidInput("The result has figures that cannot be.", code="bad_result")
    facts = {name: getattr(found, name) for name in MatchReport.__dataclass_fields__}
    return Submission(
        match_id=found.id, token=found.token, report=MatchReport(**facts), builds=found.builds
    )
