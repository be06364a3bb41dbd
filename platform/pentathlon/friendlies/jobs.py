"""The values that a worker receives and hands in for a friendly. Free of Django."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final
from uuid import UUID

from pentathlon.fleet.announcements import MOVE_BOTS
from pentathlon.matches.jobs import SeatJob
from pentathlon_engines.match.events import Event
from pentathlon_engines.match.faults import RecordedFault
from pentathlon_engines.match.friendly import Course

LEASE_S: Final = 30
"""Seconds that a worker may be silent before its stretch goes to another one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FriendlyStretch:
    """The input of a worker that moves the bots of one friendly."""

    task: ClassVar[str] = MOVE_BOTS
    limits: ClassVar[dict[str, float | int]] = {}
    traceparent: ClassVar[str] = ""
    id: int
    token: UUID
    told_name: str
    course: Course
    seats: tuple[SeatJob, ...]
    """The bots; the person has no seat here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StretchResult:
    """All events and faults since the friendly began."""

    task: ClassVar[str] = MOVE_BOTS
    id: int
    token: UUID
    events: tuple[Event, ...]
    faults: tuple[RecordedFault, ...]
    sandbox: str
    layers: tuple[str, ...]
