from typing import Any

from django.db.models import Exists, OuterRef, Prefetch, QuerySet
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from api.matches.commentary import PLACE, CommentarySerializer, WindowSerializer, answer_commentary
from api.protocol.endpoint import Endpoint
from pentathlon.core.caching import answer_for_ever
from pentathlon.matches.models import Match
from pentathlon.matches.replays.boards import board_svg
from pentathlon.matches.replays.models import Replay
from pentathlon.matches.replays.services import read_record
from pentathlon.tournaments.scheduling.secrecy import check_unsealed
from pentathlon_engines.record.shape import Record


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
