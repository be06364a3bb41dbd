"""What a worker receives and hands in for a friendly. Free of Django."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final
from uuid import UUID

import msgspec

from pentathlon.core.errors import InvalidInput
from pentathlon.fleet.announcements import MOVE_BOTS
from pentathlon.matches.jobs import SeatJob
from pentathlon_engines.match.events import Event
from pentathlon_engines.match.faults import FaultKind, RecordedFault
from pentathlon_engines.match.friendly import Course
from pentathlon_engines.match.launcher import SandboxLevel

LEASE_S: Final = 30
"""Seconds that a worker may be silent before its stretch goes to another one."""
_MOST_TEXTS: Final = 64
_LONGEST_TEXT: Final = 300


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


def stretch_result_from_json(told: object) -> StretchResult:
    """Read a result; raise `InvalidInput` for anything else."""
    try:
        result = msgspec.convert(told, StretchResult)
        SandboxLevel(result.sandbox)
        for fault in result.faults:
            FaultKind(fault["kind"])
    except (msgspec.ValidationError, ValueError) as error:
        raise InvalidInput(f"The result cannot be read: {error}.", code="bad_result") from error
    texts = [*result.layers, *(fault["detail"] for fault in result.faults)]
    if len(texts) > _MOST_TEXTS or any(len(text) > _LONGEST_TEXT for text in texts):
        raise InvalidInput("The result has too much text.", code="bad_result")
    return result
