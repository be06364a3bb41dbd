"""The values that workers receive and hand in. Free of Django."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Protocol
from uuid import UUID

from pentathlon.fleet.announcements import PLAY_MATCHES
from pentathlon_engines.manifest import Manifest
from pentathlon_engines.runner import MatchReport

LEASE_S: Final = 30
"""Seconds that a worker may be silent before its match goes to another one."""
RENEW_S: Final = 10
"""Seconds between two reports of a worker that it still plays."""

Options = dict[str, Any]  # Any: the game checks the values


class Claimed(Protocol):
    """Work that one worker holds under a lease: a match, bots to move, an analysis."""

    @property
    def task(self) -> str:
        """The task of the hint that named it."""

    @property
    def id(self) -> int:
        """What it is done for: the match or the friendly."""

    @property
    def token(self) -> UUID:
        """The right to renew the lease and to hand in the result."""

    @property
    def limits(self) -> dict[str, float | int]:
        """The limits that say how long it may stand still, where they differ from the usual."""


class Outcome(Protocol):
    """What a worker hands in for one piece of work."""

    @property
    def task(self) -> str:
        """The task of the hint that named it."""

    @property
    def id(self) -> int:
        """What it was done for: the match or the friendly."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatJob:
    """The bot of one seat, and the files to run."""

    seat: int
    version_id: int
    name: str
    content_hash: str
    """The hash of the upload, by which the record names the bot."""
    files_hash: str
    """The hash of the files to run: those built from the upload, if it has a build. Empty while
    they are still to be built."""
    manifest: Manifest
    """The manifest as it was stored when the bot was uploaded."""
    model_hash: str = ""
    """The hash of the archive with the model that the manifest names, if it names one."""
    is_blamed: bool = False
    """Whether the next unexplained end of this bot counts as its own fault, because it has ended
    so on other workers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One attempt at a match, given to one worker under a lease."""

    task: ClassVar[str] = PLAY_MATCHES
    match_id: int
    told_name: str
    """The name by which bots know the match."""
    token: UUID
    """The right to renew the lease and to hand in the result."""
    attempt: int
    game: str
    rules_version: int
    options: Options
    seed: int
    limits: dict[str, float | int]
    seats: tuple[SeatJob, ...]
    lane: int = 0
    is_public: bool = False
    """Whether everybody may watch it; false if its results are, or will be, hidden."""
    shows_compiled: bool = False
    """Whether its bots get the compiled engines, because all live workers offer them."""
    traceparent: str = ""
    """The span to which its spans belong; see `pentathlon.core.tracing`."""

    @property
    def id(self) -> int:
        """The match."""
        return self.match_id


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineBuilds:
    """The builds of the engines that took part in a match; see `pentathlon_engines.builds`."""

    referee: str
    bots: str
    """The build that bots written in Python could import."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """The result of a match as a worker hands it in."""

    task: ClassVar[str] = PLAY_MATCHES
    match_id: int
    token: UUID
    """The right of its attempt to hand it in."""
    report: MatchReport
    builds: EngineBuilds

    @property
    def id(self) -> int:
        """The match."""
        return self.match_id


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatResult:
    """The result of one seat, with the parts that only the bot's owner may read."""

    rank: int
    score: int | None
    cpu_ms: int
    wall_ms: int
    memory_peak_mb: float
    actions: int = 0
    """How many actions the bot chose itself."""
    fault_kind: str = ""
    fault_ply: int | None = None
    fault_detail: str = ""
    exit_status: int | None = None
    stdout_bytes: int = 0
    stderr_bytes: int = 0
    log: str = ""
    notes: tuple[tuple[int, str], ...] = ()
    trace: dict[str, Any] | None = None  # Any: JSON
    """The fields of the `Trace` of a seat with a fault; None without one."""
    answer: str = ""
    """What was wrong with the answer at a fault in a validation, as sentences for the author."""

    @property
    def failed_at_start(self) -> bool:
        """Whether its fault came before its first action."""
        return bool(self.fault_kind) and not self.actions


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchResult:
    """The result of one attempt: a verified record, and the columns of its rows."""

    match_id: int
    token: UUID
    """The right of the attempt to hand it in."""
    outcome_reason: str
    plies: int
    sandbox: str
    chain: str
    course: str
    record: bytes
    """The canonical JSON of the record."""
    seats: tuple[SeatResult, ...]
    referee_build: str = ""
    bots_build: str = ""

    @property
    def result_hash(self) -> str:
        """The SHA-256 of the record, by which a repeated submission is recognised."""
        return hashlib.sha256(self.record).hexdigest()
