"""Matches told in words, ply by ply, a window at a time."""

from typing import Any, Final

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from pentathlon.core.errors import NotFound
from pentathlon.matches.replays.moments import moment_of, tell_events
from pentathlon_engines import CHANCE, GAMES
from pentathlon_engines.match.events import Event
from pentathlon_engines.record.shape import Record

PLACE: Final = ("seat", "first", "count")
"""The query parameters of a commentary."""
_MOST_EVENTS: Final = 200
_USUAL_EVENTS: Final = 100
_KEPT_S: Final = 3600
"""How long caches may keep a commentary: the match never changes, but the words may one day."""


class WindowSerializer(serializers.Serializer[Any]):
    """The plies to tell, and the viewpoint."""

    seat = serializers.IntegerField(
        min_value=0,
        max_value=10,
        default=None,
        allow_null=True,
        help_text="Show what this seat saw; if omitted, show everything.",
    )
    first = serializers.IntegerField(min_value=1, max_value=10**6, default=1)
    count = serializers.IntegerField(min_value=1, max_value=_MOST_EVENTS, default=_USUAL_EVENTS)


class ToldEventSerializer(serializers.Serializer[Any]):  # Any: gathered facts
    """One event in words."""

    ply = serializers.IntegerField(help_text="The position after it.")
    seat = serializers.IntegerField(allow_null=True, help_text="null for chance.")
    text = serializers.CharField(help_text="The text as in the rules, without hidden information.")
    said = serializers.CharField(help_text="The event in words, without a full stop.")
    cpu_ms = serializers.IntegerField()
    stand_in = serializers.BooleanField(
        help_text="Whether it was chosen in place of an expelled bot."
    )


class ToldFaultSerializer(serializers.Serializer[Any]):  # Any: as a record has it
    """A fault that a bot made when asked for an action."""

    ply = serializers.IntegerField(help_text="The position in which the bot was asked.")
    seat = serializers.IntegerField()
    kind = serializers.CharField()
    detail = serializers.CharField()


class CommentarySerializer(serializers.Serializer[Any]):  # Any: gathered facts
    """A window of a match in words."""

    game = serializers.CharField()
    seat = serializers.IntegerField(
        allow_null=True, help_text="The seat whose view it is; null if everything is open."
    )
    plies = serializers.IntegerField(help_text="The number of plies in the whole match.")
    events = ToldEventSerializer(many=True)
    faults = ToldFaultSerializer(many=True)
    ending = serializers.CharField(help_text="How the match ended; empty before the last window.")
    next = serializers.IntegerField(
        allow_null=True, help_text="`first` of the next window; null after the last one."
    )


def answer_commentary(request: Request, record: Record, *, is_private: bool) -> Response:
    """Answer with the requested window of a record.

    Raises:
        NotFound: the record has no such ply or seat.
    """
    sent = WindowSerializer(data=request.query_params)
    sent.is_valid(raise_exception=True)
    told = _tell(record, **sent.validated_data)
    keeper = "private" if is_private else "public"
    headers = {"Cache-Control": f"{keeper}, max-age={_KEPT_S}"}
    return Response(CommentarySerializer(told).data, headers=headers)


def _tell(record: Record, *, seat: int | None, first: int, count: int) -> dict[str, object]:
    plies, seats = len(record["events"]), record["seats"]
    if first > max(1, plies):
        raise NotFound(f"This match has the plies 1 to {plies}, not {first}.", field="first")
    if seat is not None and seat >= seats:
        raise NotFound(f"This match has the seats 0 to {seats - 1}, not {seat}.", field="seat")
    if not GAMES[record["game"]].info.hidden:
        seat = None  # every view is the same
    last = min(plies, first + count - 1)
    events = [Event.of(row) for row in record["events"][first - 1 : last]]
    told = tell_events(record, first=first, last=last, seat=seat)
    is_last = last == plies
    return {
        "game": record["game"],
        "seat": seat,
        "plies": plies,
        "events": [
            {
                "ply": ply,
                "seat": None if event.seat == CHANCE else event.seat,
                "text": words.text,
                "said": words.said,
                "cpu_ms": event.cpu_ms,
                "stand_in": event.is_stand_in,
            }
            for ply, (event, words) in enumerate(zip(events, told, strict=True), first)
        ],
        "faults": [
            fault
            for fault in record["faults"]
            if first - 1 <= fault["ply"] < last or (is_last and fault["ply"] >= last)
        ],
        "ending": moment_of(record, plies, seat).ending if is_last else "",
        "next": None if is_last else last + 1,
    }
