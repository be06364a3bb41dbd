"""Stretches and their results as JSON, between a worker and the web server. Free of Django."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Final
from uuid import UUID

import msgspec

from pentathlon.core.errors import InvalidInput
from pentathlon.friendlies.jobs import FriendlyStretch, StretchResult
from pentathlon.matches.jobs import SeatJob
from pentathlon_engines import GAMES
from pentathlon_engines.match.events import Event
from pentathlon_engines.match.faults import FaultKind, RecordedFault
from pentathlon_engines.match.friendly import Course
from pentathlon_engines.match.launcher import SandboxLevel

_MOST_TEXTS: Final = 64
_LONGEST_TEXT: Final = 300
_Json = dict[str, Any]  # Any: JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class _Course:
    game: str
    options: _Json
    seats: int
    seed: int
    person: int
    events: list[Event]
    faults: list[RecordedFault]
    given: int
    resigned_at: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stretch:
    friendly_id: int
    token: UUID
    told_name: str
    course: _Course
    bots: tuple[SeatJob, ...]


def stretch_to_json(stretch: FriendlyStretch) -> _Json:
    """Return a stretch as JSON."""
    course = stretch.course
    told = _Stretch(
        friendly_id=stretch.friendly_id,
        token=stretch.token,
        told_name=stretch.told_name,
        course=_Course(
            game=course.game.info.key,
            options=dict(course.options),
            seats=course.seats,
            seed=course.seed,
            person=course.person,
            events=list(course.events),
            faults=list(course.faults),
            given=course.given,
            resigned_at=course.resigned_at,
        ),
        bots=stretch.bots,
    )
    found: _Json = msgspec.to_builtins(told)
    return found


def stretch_from_json(told: _Json) -> FriendlyStretch:
    """Read what `stretch_to_json` made."""
    read = msgspec.convert(told, _Stretch)
    names = ("options", "seats", "seed", "person", "events", "faults", "given", "resigned_at")
    course = Course(
        game=GAMES[read.course.game], **{name: getattr(read.course, name) for name in names}
    )
    return FriendlyStretch(
        friendly_id=read.friendly_id,
        token=read.token,
        told_name=read.told_name,
        course=course,
        bots=read.bots,
    )


def stretch_result_to_json(result: StretchResult) -> _Json:
    """Return what the bots did as JSON."""
    told: _Json = msgspec.to_builtins(asdict(result))
    return told


def stretch_result_from_json(told: _Json) -> StretchResult:
    """Read what `stretch_result_to_json` made; raise `InvalidInput` for anything else."""
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
