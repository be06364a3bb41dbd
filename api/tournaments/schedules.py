"""A tournament's schedule, faults, news and results as CSV."""

from typing import Any

from django.db.models import Exists, OuterRef
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from api.bots.versions import ReasonSerializer
from api.matches.matches import SeatSerializer
from api.protocol.endpoint import Endpoint
from api.protocol.pagination import CursorPages, NewestFirst
from pentathlon.live.snapshots import tournament_now
from pentathlon.live.tickets import follow_page, who_asks
from pentathlon.matches.dispatch.reasons import read_situation, why_waiting
from pentathlon.matches.latest import faults_of_lane
from pentathlon.matches.models import Match, MatchState
from pentathlon.tournaments.models import Tournament, TournamentMatch
from pentathlon.tournaments.results.files import answer_results, answer_standings
from pentathlon.tournaments.results.hidden_results import are_hidden, check_shown

_MOST_ROUNDS = 10**6
_CSV = "text/csv"


class InSchedule(CursorPages):
    """Pages of a schedule."""

    ordering = "index"


class ScheduledMatchSerializer(serializers.ModelSerializer[TournamentMatch]):
    """A match and its place in the schedule of a tournament."""

    match = serializers.IntegerField(source="match_id")
    state = serializers.ChoiceField(choices=MatchState.choices, source="match.state")
    seats = SeatSerializer(many=True, source="match.seats")
    waiting = serializers.SerializerMethodField(
        help_text="Why it is not running; null if it runs or has ended."
    )

    class Meta:
        model = TournamentMatch
        fields = ("index", "round", "block", "leg", "match", "state", "seats", "waiting")
        read_only_fields = fields

    @extend_schema_field(ReasonSerializer(allow_null=True))
    def get_waiting(self, place: TournamentMatch) -> Any:  # Any: what a serializer made
        """Return why the match is not running."""
        reason = why_waiting(place.match, self.context["situation"])
        return None if reason is None else ReasonSerializer(reason).data


class FaultySeatSerializer(SeatSerializer):
    """A seat whose bot made a fault."""

    match = serializers.IntegerField(source="match_id")

    class Meta(SeatSerializer.Meta):
        fields = ("match", *SeatSerializer.Meta.fields)  # type: ignore[assignment]  # one more
        read_only_fields = fields  # type: ignore[assignment]  # one more


class RoundSerializer(serializers.Serializer[Any]):
    """The part of a schedule to list."""

    round = serializers.IntegerField(
        min_value=1, max_value=_MOST_ROUNDS, required=False, help_text="Only this round."
    )


class ScheduleActions(Endpoint[Tournament]):
    """The lists and files about the matches of a tournament."""

    @extend_schema(
        parameters=[RoundSerializer],
        responses=ScheduledMatchSerializer(many=True),
        filters=False,
    )
    @action(detail=True, pagination_class=InSchedule)
    def schedule(self, request: Request, pk: str) -> Response:
        """List the scheduled matches so far, in schedule order.

        While results are hidden from you, the list contains only the matches that you may see.
        """
        tournament = self.get_object()
        values = self.checked(RoundSerializer)
        places = TournamentMatch.objects.filter(tournament=tournament, **values)
        if are_hidden(tournament, self.reader):
            # Pairings of a format that reads results reveal them, so they wait for the results'
            # release.
            visible = Match.objects.visible_to(self.reader).filter(pk=OuterRef("match"))
            places = places.filter(Exists(visible))
        page: Any = self.paginate_queryset(places.in_order())  # type: ignore[arg-type]  # not of tournaments
        rows = ScheduledMatchSerializer(page, many=True, context={"situation": read_situation()})
        return self.get_paginated_response(rows.data)

    @extend_schema(responses=FaultySeatSerializer(many=True), filters=False)
    @action(detail=True, pagination_class=NewestFirst)
    def faults(self, request: Request, pk: str) -> Response:
        """List the faults of bots in the matches of a tournament, latest first."""
        tournament = self.get_object()
        check_shown(tournament, self.reader)
        seats: Any = faults_of_lane(tournament.pk).select_related("version__bot__owner")
        page: Any = self.paginate_queryset(seats)
        return self.get_paginated_response(FaultySeatSerializer(page, many=True).data)

    @extend_schema(responses={(200, "text/event-stream"): OpenApiTypes.STR}, filters=False)
    @action(detail=True, pagination_class=None)
    def events(self, request: Request, pk: str) -> HttpResponse:
        """Follow a tournament through server-sent events.

        `changed` means that there are new results or a new state: reload what you show. `end`
        means that nothing will change any more. A client that sends the last id as
        `Last-Event-ID` gets missed events at once. Hidden results cause no event.
        """
        return follow_page(
            tournament_now(self.get_object().pk),
            who=who_asks(request._request, self.person),
            seen=request.headers.get("Last-Event-ID", "")[:32],
        )

    @extend_schema(responses={(200, _CSV): OpenApiTypes.STR}, filters=False)
    def standings_csv(self, request: Request, pk: str) -> HttpResponseBase:
        """Return the table as CSV, best first, with a column for each of its tie-breaks."""
        tournament = self.get_object()
        check_shown(tournament, self.reader)
        return answer_standings(request._request, tournament)

    @extend_schema(
        parameters=[
            OpenApiParameter(
                "part",
                {"type": "integer", "minimum": 1, "maximum": 1000},
                description="Required for a long tournament, whose results come in parts.",
            )
        ],
        responses={(200, _CSV): OpenApiTypes.STR},
        filters=False,
    )
    def results_csv(self, request: Request, pk: str) -> HttpResponseBase:
        """Return all results as CSV: one line per seat of each match, in schedule order."""
        tournament = self.get_object()
        check_shown(tournament, self.reader)
        values = self.checked(_PartSerializer)
        return answer_results(request._request, tournament, part=values.get("part"))


class _PartSerializer(serializers.Serializer[Any]):
    part = serializers.IntegerField(min_value=1, max_value=1000, required=False)
