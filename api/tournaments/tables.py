"""The tables of a tournament as JSON."""

from collections.abc import Sequence
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
from api.matches.matches import SeatedVersionSerializer, SeatSerializer
from api.protocol.endpoint import Endpoint, RowSerializer
from api.protocol.pagination import CursorPages, NewestFirst
from pentathlon.live.snapshots import follow_page, tournament_now, who_asks
from pentathlon.matches.dispatch.reasons import read_situation, why_waiting
from pentathlon.matches.latest import faults_of_lane
from pentathlon.matches.models import Match, MatchState
from pentathlon.tournaments.models import EntryState, Tournament, TournamentMatch
from pentathlon.tournaments.results.files import answer_results, answer_standings
from pentathlon.tournaments.results.hidden_results import are_hidden, check_shown
from pentathlon.tournaments.results.standings import Score

_MOST_ROUNDS = 10**6
_CSV = "text/csv"


class SkillSerializer(serializers.Serializer[Any]):
    """A rating."""

    mu = serializers.FloatField()
    sigma = serializers.FloatField()


class VersionShareSerializer(serializers.Serializer[Any]):
    """The results of one version of an entry."""

    version = SeatedVersionSerializer()
    points = serializers.FloatField()
    matches = serializers.IntegerField()
    rating = SkillSerializer(help_text="The rating from its own results alone.")


class StandingSerializer(serializers.Serializer[Any]):
    """One line of the table."""

    place = serializers.IntegerField(
        allow_null=True,
        help_text="Starts at 1, shared by those who are level; null for an entry that left.",
    )
    group = serializers.IntegerField(
        allow_null=True,
        help_text="Bots of different groups can be told apart; null without a place.",
    )
    state = serializers.ChoiceField(source="entry.state", choices=EntryState.choices)
    reason = serializers.CharField(source="entry.reason", help_text="Why it left.")
    version = SeatedVersionSerializer()
    points = serializers.FloatField()
    byes = serializers.IntegerField(
        help_text="Rounds without a match, which count as won blocks of two points each."
    )
    forfeits = serializers.FloatField(
        help_text="The points among these that it has without a match, as opponents have left."
    )
    cancelled = serializers.BooleanField(
        source="is_cancelled",
        help_text="Whether it left so early that its results count for nobody, by the law.",
    )
    matches = serializers.IntegerField()
    wins = serializers.IntegerField()
    draws = serializers.IntegerField()
    losses = serializers.IntegerField()
    faults = serializers.IntegerField()
    rating = SkillSerializer()
    fold = SkillSerializer(
        allow_null=True, help_text="The rating by the live rule, applied in schedule order."
    )
    interval = serializers.ListField(
        child=serializers.FloatField(),
        help_text="The 95 % interval of the true strength; 25 is the mean.",
    )
    rank_interval = serializers.ListField(
        child=serializers.IntegerField(),
        allow_null=True,
        help_text="The best and worst plausible true ranks; null before the close.",
    )
    chance_of_best = serializers.FloatField()
    tie_breaks = serializers.DictField(
        child=serializers.FloatField(allow_null=True),
        help_text="The value of each tie-break, in order; null if it tells nobody apart.",
    )
    provisional = serializers.BooleanField(source="is_provisional")
    versions = VersionShareSerializer(
        source="shares",
        many=True,
        help_text="The results of each version of a replaced entry; otherwise empty.",
    )


@extend_schema_field(
    {
        "type": "array",
        "items": {
            "type": ["object", "null"],
            "required": ["wins", "draws", "losses", "points"],
            "properties": {
                "wins": {"type": "integer"},
                "draws": {"type": "integer"},
                "losses": {"type": "integer"},
                "points": {"type": "number"},
            },
        },
    }
)
class CellsField(serializers.Field[Any, Any, Any, Any]):
    """Scores against everybody, null against oneself; in the document by hand, because the
    generator forgets that the items of a list may be null.
    """

    def to_representation(self, value: Sequence[Score | None]) -> list[dict[str, float] | None]:
        """Return all cells of a row: field by field, 50,000 cells would take half a second."""
        return [
            None
            if score is None
            else {
                "wins": score.wins,
                "draws": score.draws,
                "losses": score.losses,
                "points": score.points,
            }
            for score in value
        ]


class CrosstableRowSerializer(serializers.Serializer[Any]):
    """One bot version against the others, in the order of the table."""

    version = SeatedVersionSerializer(source="standing.version")
    points = serializers.FloatField(source="standing.points")
    cells = CellsField(help_text="One cell per opponent; null against itself.")


class SeatRateSerializer(serializers.Serializer[Any]):
    """The results of one seat over all matches."""

    seat = serializers.IntegerField()
    wins = serializers.IntegerField(source="score.wins")
    draws = serializers.IntegerField(source="score.draws")
    losses = serializers.IntegerField(source="score.losses")
    share = serializers.FloatField(
        source="score.share", allow_null=True, help_text="0.5 is fair; null before any match."
    )


class ProgressSerializer(serializers.Serializer[Any]):
    """The progress of a tournament, in matches."""

    total = serializers.IntegerField()
    done = serializers.IntegerField()
    running = serializers.IntegerField()
    waiting = serializers.IntegerField()
    void = serializers.IntegerField()
    share = serializers.FloatField(help_text="The share of matches that have ended, 0 to 1.")
    remaining_s = serializers.FloatField(
        allow_null=True, help_text="Seconds until the end at the current pace; null while unknown."
    )
    fewest = serializers.IntegerField(
        allow_null=True,
        help_text="The fewest matches in total, whatever the results; null if `total` is certain.",
    )
    most = serializers.IntegerField(allow_null=True)


class DryRunBlockSerializer(serializers.Serializer[Any]):
    """Matches of the same bots with the same seed."""

    number = serializers.IntegerField(help_text="Starts at 1.")
    round = serializers.IntegerField()
    first_match = serializers.IntegerField(help_text="The number of its first match, from 1.")
    seatings = serializers.ListField(
        child=serializers.ListField(child=serializers.IntegerField()),
        help_text="The index of the bot in `document.entries`, by match and seat.",
    )


class WarningSerializer(serializers.Serializer[Any]):
    """A setting that is allowed but rarely intended."""

    code = serializers.CharField()
    pointer = serializers.CharField(help_text="JSON pointer into the document.")
    detail = serializers.CharField()


class DryRunSerializer(serializers.Serializer[Any]):
    """A preview of a tournament. The start redraws sides and order."""

    document = serializers.DictField()
    fewest = serializers.IntegerField(help_text="Matches.")
    expected = serializers.IntegerField(help_text="Matches.")
    most = serializers.IntegerField(help_text="Matches.")
    blocks = DryRunBlockSerializer(
        many=True, help_text="The blocks that do not depend on results."
    )
    left_out = serializers.IntegerField(
        help_text="The number of expected matches that are not in `blocks`."
    )
    needs_results = serializers.BooleanField(help_text="Whether later blocks depend on results.")
    warnings = WarningSerializer(many=True)
    measured_matches = serializers.IntegerField(
        help_text="The number of recent matches of the game that the figures below are based on."
    )
    cpu_hours = serializers.FloatField(
        allow_null=True, help_text="CPU hours of bots in the expected matches."
    )
    takes_s = serializers.FloatField(
        allow_null=True, help_text="Expected, with all free slots of the workers."
    )
    finishes_at = serializers.DateTimeField(
        allow_null=True, help_text="Assumes that it starts now and has all workers to itself."
    )
    reason = serializers.CharField(help_text="Why a figure is null.")


class InSchedule(CursorPages):
    """Pages of a schedule."""

    ordering = "index"


class ScheduledMatchSerializer(RowSerializer[TournamentMatch]):
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
