from functools import cached_property
from typing import Any

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers, status
from rest_framework.decorators import action
from rest_framework.mixins import ListModelMixin, RetrieveModelMixin
from rest_framework.request import Request
from rest_framework.response import Response

from api.accounts.people import PersonSerializer
from api.matches.replays import (
    PLACE,
    CommentarySerializer,
    PlaceSerializer,
    WindowSerializer,
    answer_commentary,
    answer_record,
)
from api.protocol.endpoint import Endpoint, RowSerializer
from api.protocol.pagination import GameFilter, MadeFilterSet, TextFilter
from pentathlon.accounts.models import Scope
from pentathlon.core.caching import answer_for_ever
from pentathlon.matches.desk_records.models import DeskRecord
from pentathlon.matches.desk_records.services import (
    CheckedRecord,
    check_record,
    delete_record,
    keep_record,
)
from pentathlon.matches.replays.moments import board_svg


class DeskSeatSerializer(serializers.Serializer[dict[str, Any]]):
    """One seat, as the record describes it."""

    seat = serializers.IntegerField()
    name = serializers.CharField(help_text="The bot's name in the record; nobody has checked it.")
    hash = serializers.CharField(
        help_text="The content hash of its files, as stated in the record."
    )
    rank = serializers.IntegerField(help_text="0 is best; equal ranks are ties.")
    score = serializers.IntegerField(allow_null=True)
    has_failed = serializers.BooleanField()


class DeskRecordSerializer(RowSerializer[DeskRecord]):
    """A match that an author played on their own machine and uploaded."""

    author = PersonSerializer()
    seats = DeskSeatSerializer(many=True)
    rated = serializers.SerializerMethodField(help_text="Always false: it counts nowhere.")
    played_here = serializers.SerializerMethodField(
        help_text="Always false: the author's machine played it, not a worker of this site."
    )

    class Meta:
        model = DeskRecord
        fields = (
            "id",
            "author",
            "game",
            "rules_version",
            "seats",
            "outcome_reason",
            "plies",
            "chain",
            "rated",
            "played_here",
            "created_at",
        )

    @extend_schema_field(serializers.BooleanField())
    def get_rated(self, desk_record: DeskRecord) -> bool:
        """Return false: no record of a desk changes a rating."""
        return False

    @extend_schema_field(serializers.BooleanField())
    def get_played_here(self, desk_record: DeskRecord) -> bool:
        """Return false: no worker of this site has played it."""
        return False


class DeskRecordFilter(MadeFilterSet):
    """Filters of desk records."""

    author = TextFilter(field_name="author__username", lookup_expr="iexact")
    game = GameFilter()


class DeskRecordViewSet(ListModelMixin, RetrieveModelMixin, Endpoint[DeskRecord]):
    """Desk records: matches that authors played on their own machines. They count nowhere."""

    noun = "desk record"
    queryset = DeskRecord.objects.listed()
    serializer_class = DeskRecordSerializer
    filterset_class = DeskRecordFilter
    write_scope = Scope.BOTS_WRITE
    query_parameters = {"board": ("ply", "seat"), "commentary": PLACE}
    shared_actions = ("list", "retrieve", "commentary")

    def prepare(self) -> None:
        """Play the record again before the transaction, while others may write."""
        if self.action == "create":
            _ = self.record_sent

    @cached_property
    def record_sent(self) -> CheckedRecord:
        """The record, verified."""
        return check_record(self.request.data)

    @extend_schema(request=OpenApiTypes.OBJECT, responses={201: DeskRecordSerializer})
    def create(self, request: Request) -> Response:
        """Upload a record written by `pentathlon play`; the site replays it to verify it."""
        kept = keep_record(actor=self.actor, checked=self.record_sent)
        return Response(DeskRecordSerializer(kept).data, status=status.HTTP_201_CREATED)

    @extend_schema(responses={204: None})
    def destroy(self, request: Request, pk: str) -> Response:
        """Permanently delete a record that you uploaded."""
        delete_record(actor=self.actor, desk_record=self.get_object())
        return Response(status=status.HTTP_204_NO_CONTENT)

    @extend_schema(responses=OpenApiTypes.OBJECT)
    @action(detail=True)
    def record(self, request: Request, pk: str) -> HttpResponseBase:
        """Return the record itself; anyone can verify it."""
        found = self.get_object()
        return answer_for_ever(
            request._request,
            *("desk", found.chain),
            is_private=False,
            make=lambda: answer_record(found.record),
        )

    @extend_schema(parameters=[WindowSerializer], responses=CommentarySerializer, filters=False)
    @action(detail=True, pagination_class=None)
    def commentary(self, request: Request, pk: str) -> Response:
        """Describe a record in words, ply by ply, as a spectator or a seat sees it."""
        return answer_commentary(request, self.get_object().record, is_private=False)

    @extend_schema(
        parameters=[PlaceSerializer], responses={(200, "image/svg+xml"): OpenApiTypes.STR}
    )
    def board(self, request: Request, pk: str) -> HttpResponseBase:
        """Draw the position after `ply` events, for a spectator or for a seat."""
        found = self.get_object()
        place = self.checked(PlaceSerializer)
        return answer_for_ever(
            request._request,
            *("desk", found.chain, place["ply"], place["seat"]),
            is_private=False,
            make=lambda: HttpResponse(
                board_svg(found.record, **place), content_type="image/svg+xml"
            ),
        )
