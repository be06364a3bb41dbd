from datetime import timedelta
from typing import Any, Final

from django.db.models import Exists, OuterRef, Prefetch, Q, QuerySet
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from api.matches.matches import MatchSerializer
from api.protocol.endpoint import LARGEST_ID, Endpoint, read_id
from api.protocol.negotiation import LINES, stretch_of_lines
from pentathlon.core.caching import answer_for_ever
from pentathlon.core.clock import database_now
from pentathlon.core.errors import InvalidInput, NotFound
from pentathlon.matches.models import Match, MatchQuerySet, MatchState
from pentathlon.matches.replays.models import Replay
from pentathlon.matches.replays.moments import board_svg, moment_of, tell_events
from pentathlon.matches.replays.services import read_record
from pentathlon.tournaments.scheduling.secrecy import check_unsealed, with_seals
from pentathlon_engines import CHANCE, GAMES
from pentathlon_engines.match.events import Event
from pentathlon_engines.record.shape import Record

PLACE: Final = ("seat", "first", "count")
"""The query parameters of a commentary."""
_MOST_EVENTS: Final = 200
_USUAL_EVENTS: Final = 100
_KEPT_S: Final = 3600
"""How long caches may keep a commentary: the match never changes, but the words may one day."""
STRETCH: Final = 500
"""How many matches one stretch of the answer has."""
SETTLED: Final = timedelta(minutes=1)
"""How long after its end a match is listed; by then, no match with an earlier end is missing."""


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


class PlaceSerializer(serializers.Serializer[Any]):
    """The position to draw, and the viewpoint."""

    ply = serializers.IntegerField(min_value=0, max_value=10**6, default=0)
    seat = serializers.IntegerField(min_value=0, max_value=10, default=None, allow_null=True)


def answer_record(record: Record) -> HttpResponse:
    """Answer with a record, written at once, so that it can be sent in parts."""
    return HttpResponse(JSONRenderer().render(record), content_type="application/json")


class ReplayViewSet(Endpoint[Replay]):
    """Stored records of finished matches. They never change."""

    noun = "replay of match"
    conflicting_actions = ("retrieve",)
    queryset = Replay.objects.none()
    filter_backends = ()
    query_parameters = {"board": ("ply", "seat"), "commentary": PLACE}

    def get_queryset(self) -> QuerySet[Replay]:
        """Return the replays of matches that this person may see."""
        visible = Match.objects.visible_to(self.reader)
        # Whether a cache may keep a board depends on who else may see the match.
        match = Prefetch("match", Match.objects.with_privacy())
        # With `match__in`, SQLite would list all visible matches to find one.
        found = Replay.objects.filter(Exists(visible.filter(pk=OuterRef("match_id"))))
        return found.prefetch_related(match)

    @extend_schema(responses=OpenApiTypes.OBJECT)
    def retrieve(self, request: Request, pk: str) -> HttpResponseBase:
        """Return the record of a match; anyone can verify it.

        It contains the seed: the response is 409 `sealed` until its whole block is done.
        """
        replay = self.get_object()
        check_unsealed(replay.match)
        return answer_for_ever(
            request._request,
            replay.match.chain,
            is_private=replay.match.is_private,
            make=lambda: answer_record(read_record(replay)),
        )

    @extend_schema(parameters=[WindowSerializer], responses=CommentarySerializer)
    @action(detail=True)
    def commentary(self, request: Request, pk: str) -> Response:
        """Describe a match in words, ply by ply, as a spectator or a seat sees it.

        The replay page shows the same text. A long match is split into windows: `next` is the
        `first` of the following window.
        """
        replay = self.get_object()
        record = read_record(replay)
        return answer_commentary(request, record, is_private=replay.match.is_private)

    @extend_schema(
        parameters=[PlaceSerializer],
        responses={(200, "image/svg+xml"): OpenApiTypes.STR},
    )
    def board(self, request: Request, pk: str) -> HttpResponseBase:
        """Draw the position after `ply` events, for a spectator or for a seat."""
        replay = self.get_object()
        place = self.checked(PlaceSerializer)
        return answer_for_ever(
            request._request,
            *(replay.match.chain, place["ply"], place["seat"]),
            is_private=replay.match.is_private,
            make=lambda: HttpResponse(
                board_svg(read_record(replay), **place), content_type="image/svg+xml"
            ),
        )


class MatchHistoryViewSet(Endpoint[Match]):
    """Every match of a game that has ended, in the order of their ends."""

    noun = "match"
    queryset = Match.objects.none()
    serializer_class = MatchSerializer
    query_parameters = {"history": ("after",)}

    def get_queryset(self) -> MatchQuerySet:
        """Return the finished matches that this person may see."""
        ended = Match.objects.visible_to(self.reader).filter(state=MatchState.DONE)
        return with_seals(ended.with_seats().with_privacy()).select_related("place")

    @extend_schema(
        parameters=[
            OpenApiParameter("game", str, "path", enum=list(GAMES)),
            OpenApiParameter(
                "after",
                {"type": "integer", "minimum": 0, "maximum": LARGEST_ID},
                description="Continue after this match, the last one you have.",
            ),
        ],
        responses={(200, LINES): OpenApiTypes.STR},
    )
    def history(self, request: Request, game: str) -> HttpResponse:
        """Return all finished matches of a game, one per line, in the format of the list.

        One response contains them all, however long it is, in the order in which they ended. If
        it breaks off, or to read new matches later, pass the `id` of the last complete line as
        `after`. Matches that ended within the last minute are not included yet. Matches whose
        results were hidden appear where they ended: after the release, read again from there.
        """
        if game not in GAMES:
            raise NotFound(f"There is no game {game!r}.")
        ended = self.get_queryset().filter(game=game, finished_at__lt=database_now() - SETTLED)
        asked = request.query_params.get("after")
        if asked is not None:
            ended = _behind(ended, asked)
        rows = list(ended.order_by("finished_at", "id")[:STRETCH])
        render = JSONRenderer().render
        lines = b"".join(render(MatchSerializer(row).data) + b"\n" for row in rows)
        return stretch_of_lines(
            lines, following=f"after={rows[-1].pk}" if len(rows) == STRETCH else ""
        )


def _behind(ended: MatchQuerySet, asked: str) -> MatchQuerySet:
    number = read_id(asked)
    if number is None:
        raise InvalidInput(
            "`after` is the number of a match; leave it out to begin.",
            code="bad_cursor",
            field="after",
        )
    last = ended.filter(pk=number).values_list("finished_at", flat=True).first()
    if last is None:
        raise NotFound(
            f"This history has no match {number}; leave `after` out to begin.", field="after"
        )
    return ended.filter(finished_at__gte=last).exclude(Q(finished_at=last, pk__lte=number))
