"""The types of webhook events: their names, contents and examples. Pure data.

Payloads are thin: what has happened, and where the API shows it. For more, receivers ask the API
with their own token. So a webhook shows nobody what they may not see, and a message that arrives
late never presents an old state as a new one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

_ID: Final = {"type": "integer", "minimum": 1}
_NAME: Final = {"type": "string", "minLength": 1, "maxLength": 80}
_GAME: Final = {"type": "string", "maxLength": 30}
_EXAMPLES: Final[Mapping[str, Any]] = {  # Any: JSON
    "bot": 7,
    "bot_name": "magpie",
    "version": 12,
    "version_number": 3,
    "game": "tuned",
    "ladder": "tuned",
    "match": 4711,
    "challenge": 31,
    "tournament": 5,
    "tournament_name": "Autumn cup",
    "by": 13,
    "changed": ["closes_entries_at", "starts_at"],
    "kind": "challenge",
    "endpoint": 2,
}
_PROPERTIES: Final[Mapping[str, Mapping[str, Any]]] = {  # Any: JSON
    "bot": _ID,
    "bot_name": _NAME,
    "version": _ID,
    "version_number": _ID,
    "game": _GAME,
    "ladder": {"type": "string", "maxLength": 60},
    "match": _ID,
    "challenge": _ID,
    "tournament": _ID,
    "tournament_name": _NAME,
    "by": _ID,
    "result": {"type": "string"},
    "changed": {"type": "array", "items": {"type": "string", "maxLength": 30}, "minItems": 1},
    "kind": {"enum": ["challenge", "tournament"]},
    "endpoint": _ID,
    "url": {"type": "string", "format": "uri"},
}
_VERSION: Final = ("bot", "bot_name", "version", "version_number")
_TOURNAMENT: Final = ("tournament", "tournament_name", "game")


@dataclass(frozen=True, slots=True, kw_only=True)
class EventType:
    """One kind of event."""

    name: str
    meaning: str
    fields: tuple[str, ...]
    optional: tuple[str, ...] = ()
    example_url: str
    """The API path that shows what happened, without the host."""
    is_mailed: bool = False
    """Whether people can also get it by e-mail."""
    is_frequent: bool = False
    """Whether it is sent only to endpoints that name it."""

    @property
    def schema(self) -> dict[str, Any]:  # Any: JSON
        """The JSON Schema of the body."""
        fields = (*self.fields, "url")
        return {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": self.name,
            "description": self.meaning,
            "type": "object",
            "required": ["type", "timestamp", "data"],
            "additionalProperties": False,
            "properties": {
                "type": {"const": self.name},
                "timestamp": {"type": "string", "format": "date-time"},
                "data": {
                    "type": "object",
                    "required": sorted(fields),
                    "additionalProperties": False,
                    "properties": {
                        name: dict(_PROPERTIES[name]) for name in sorted((*fields, *self.optional))
                    },
                },
            },
        }

    @property
    def example(self) -> dict[str, Any]:  # Any: JSON
        """An example of a body."""
        data = {name: _EXAMPLES[name] for name in self.fields}
        url = f"https://pentathlon.example{self.example_url}"
        return {
            "type": self.name,
            "timestamp": "2026-11-22T21:46:03.120000Z",
            "data": {**data, "url": url},
        }


_TYPES: Final = (
    EventType(
        name="version.validated",
        meaning="A version of your bot passed its validation and may play.",
        fields=_VERSION,
        example_url="/api/v1/versions/12/",
    ),
    EventType(
        name="version.rejected",
        meaning="A version of your bot failed its validation because of its own fault.",
        fields=_VERSION,
        example_url="/api/v1/versions/12/",
        is_mailed=True,
    ),
    EventType(
        name="version.unchecked",
        meaning="Our machines could not validate a version of your bot. Request validation again.",
        fields=_VERSION,
        example_url="/api/v1/versions/12/",
        is_mailed=True,
    ),
    EventType(
        name="version.stopped",
        meaning="A version of your bot was taken out of play: it failed at its start again and "
        "again, or staff disqualified it.",
        fields=_VERSION,
        example_url="/api/v1/versions/12/",
        is_mailed=True,
    ),
    EventType(
        name="version.joined_ladder",
        meaning="A version of your bot now plays on a ladder, in place of the previous one.",
        fields=(*_VERSION, "ladder", "game"),
        example_url="/api/v1/ladders/tuned/",
    ),
    EventType(
        name="version.first_rated_match",
        meaning="The first rated match of a version counted: the version is on a leaderboard.",
        fields=(*_VERSION, "match", "game"),
        example_url="/api/v1/matches/4711/",
    ),
    EventType(
        name="match.finished",
        meaning="A match of your bots ended, as done or void. There are many of these. Matches "
        "whose results are hidden send none, not even later.",
        fields=("match", "game"),
        example_url="/api/v1/matches/4711/",
        is_frequent=True,
    ),
    EventType(
        name="challenge.finished",
        meaning="All matches of your challenge ended.",
        fields=("challenge", "game"),
        example_url="/api/v1/challenges/31/",
    ),
    EventType(
        name="comparison.finished",
        meaning="A comparison of two versions ended: a challenge between your own versions, or a "
        "tournament of the format “A/B test” that you organise or play in.",
        fields=("kind", "game"),
        optional=("challenge", "tournament", "tournament_name"),
        example_url="/api/v1/challenges/31/",
    ),
    EventType(
        name="tournament.changed",
        meaning="A tournament that you organise or play in has changed: its dates, caps, text or "
        "organisers, for example. `changed` names what; its audit log says from what to what.",
        fields=(*_TOURNAMENT, "changed"),
        example_url="/api/v1/tournaments/5/",
        is_mailed=True,
    ),
    EventType(
        name="tournament.started",
        meaning="A tournament that you organise or play in started.",
        fields=_TOURNAMENT,
        example_url="/api/v1/tournaments/5/",
        is_mailed=True,
    ),
    EventType(
        name="tournament.finished",
        meaning="A tournament closed that you organise or play in; it has its final table, which "
        "may be hidden; else `result` says who won.",
        fields=_TOURNAMENT,
        optional=("result",),
        example_url="/api/v1/tournaments/5/",
    ),
    EventType(
        name="tournament.offered",
        meaning="An organiser offered to hand a tournament over to you, or to organise it "
        "together. Accept or decline it.",
        fields=_TOURNAMENT,
        example_url="/api/v1/tournaments/5/handover/",
        is_mailed=True,
    ),
    EventType(
        name="tournament.handed_over",
        meaning="A tournament that you organise or play in has a new organiser.",
        fields=_TOURNAMENT,
        example_url="/api/v1/tournaments/5/",
        is_mailed=True,
    ),
    EventType(
        name="tournament.results_released",
        meaning="The hidden results of a tournament are public now.",
        fields=_TOURNAMENT,
        optional=("result",),
        example_url="/api/v1/tournaments/5/",
        is_mailed=True,
    ),
    EventType(
        name="entry.withdrawn",
        meaning="A bot of yours, or one in your tournament, was withdrawn.",
        fields=(*_TOURNAMENT, "version"),
        example_url="/api/v1/tournaments/5/entries/",
    ),
    EventType(
        name="entry.disqualified",
        meaning="A bot of yours, or one in your tournament, was disqualified.",
        fields=(*_TOURNAMENT, "version"),
        example_url="/api/v1/tournaments/5/entries/",
    ),
    EventType(
        name="entry.replaced",
        meaning="Another version took the place of a bot of yours, or in your tournament: `by` "
        "plays instead of `version`.",
        fields=(*_TOURNAMENT, "version", "by"),
        example_url="/api/v1/tournaments/5/entries/",
    ),
    EventType(
        name="webhook.disabled",
        meaning="Another webhook of yours was disabled because its deliveries kept failing.",
        fields=("endpoint",),
        example_url="/api/v1/webhooks/2/",
        is_mailed=True,
    ),
)
PING: Final = EventType(
    name="webhook.ping",
    meaning="A test that you asked for. No endpoint subscribes to it.",
    fields=("endpoint",),
    example_url="/api/v1/webhooks/2/",
)

EVENT_TYPES: Final[Mapping[str, EventType]] = {each.name: each for each in _TYPES}
"""The events that an endpoint can subscribe to, by name."""
ALL_TYPES: Final[Mapping[str, EventType]] = {**EVENT_TYPES, PING.name: PING}
USUAL: Final = tuple(each.name for each in _TYPES if not each.is_frequent)
"""The default subscription of an endpoint."""
MAILED: Final = tuple(each.name for each in _TYPES if each.is_mailed)
"""The events that people can get by e-mail."""
EVENT_CHOICES: Final = tuple((name, each.meaning) for name, each in EVENT_TYPES.items())
"""The choices of events in forms and in the API."""
