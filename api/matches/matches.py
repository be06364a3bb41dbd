from collections.abc import Sequence
from typing import Any

from django.db.models import QuerySet
from django.http import HttpResponse
from django_filters import rest_framework as filters
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.mixins import ListModelMixin
from rest_framework.request import Request
from rest_framework.response import Response

from api.bots.versions import BotNameSerializer, ReasonSerializer
from api.matches.explanations import AnalysisSerializer, ExplanationSerializer, analysis_of
from api.protocol.endpoint import LARGEST_ID, Endpoint, RowSerializer
from api.protocol.pagination import ORDERING, GameFilter, IdFilter, MadeFilterSet, NewestFirst
from api.protocol.requests import PublicReasonField, RequestSerializer
from pentathlon.accounts.models import Scope
from pentathlon.bots.models import BotVersion
from pentathlon.core.errors import InvalidInput, NotFound
from pentathlon.core.server.limits import MOST_FOLLOWED
from pentathlon.insight.analyses.services import read_curve
from pentathlon.live.snapshots import View, follow_matches, matches_now, who_asks
from pentathlon.matches.dispatch.reasons import why_waiting
from pentathlon.matches.models import (
    Attempt,
    Match,
    MatchKind,
    MatchQuerySet,
    MatchSeat,
    MatchState,
)
from pentathlon.matches.replays.explanations import explain_match
from pentathlon.tournaments.corrections.orders import requeue_match, rerun_match, void_match
from pentathlon.tournaments.scheduling.secrecy import with_seals

_NOT_BY_END = {"bot", "version", "since", "until"}
"""Filters for which no index has the order of ends."""
_LONGEST_MARK = 40 * MOST_FOLLOWED


class MatchFilter(MadeFilterSet):
    """Narrow matches down."""

    state = filters.ChoiceFilter(choices=MatchState.choices)
    kind = filters.ChoiceFilter(choices=MatchKind.choices)
    game = GameFilter()
    tournament = IdFilter(method="of_tournament")
    bot = IdFilter(method="of_bot")
    version = IdFilter(method="of_version")

    def of_tournament(self, matches: MatchQuerySet, name: str, value: int) -> MatchQuerySet:
        """Keep the matches of a tournament."""
        return matches.of_lane(value)

    def of_bot(self, matches: MatchQuerySet, name: str, value: int) -> MatchQuerySet:
        """Keep the matches of a bot."""
        return matches.of_bot(value)

    def of_version(self, matches: MatchQuerySet, name: str, value: int) -> MatchQuerySet:
        """Keep the matches of a bot version."""
        return matches.of_version(value)


class MatchPages(NewestFirst):
    """Pages of matches, also by when they ended."""

    orderings = {
        **NewestFirst.orderings,
        "-finished_at": ("-finished_at", "-id"),
        "finished_at": ("finished_at", "id"),
    }
    orderings_told = (
        "Newest first, or oldest first: ids grow with time. Or by the time of the end, with "
        "`state=done`, and with no filter but `game`, `kind` and `tournament`."
    )

    def get_ordering(
        self,
        request: Request,
        queryset: QuerySet[Any] | Sequence[Any],  # Any: only handed on
        view: Any,  # Any: only handed on
    ) -> tuple[str, ...]:
        """Return the columns of the requested order, if an index has them."""
        columns = super().get_ordering(request, queryset, view)
        asked = request.query_params
        is_by_end = columns[0].endswith("finished_at")
        is_unindexed = not _NOT_BY_END.isdisjoint(asked)
        if is_by_end and (asked.get("state") != MatchState.DONE or is_unindexed):
            raise InvalidInput(
                "Ordering by the end needs state=done and no bot, version, since or until; "
                "-id lists the newest first.",
                code="bad_ordering",
                field=ORDERING,
            )
        return columns


class SeatedVersionSerializer(RowSerializer[BotVersion]):
    """A bot version in short."""

    bot = BotNameSerializer()
    label = serializers.CharField()  # type: ignore[assignment]  # a field

    class Meta:
        model = BotVersion
        fields = ("id", "bot", "number", "label")


class FaultSerializer(serializers.Serializer[MatchSeat]):
    """A bot's fault."""

    kind = serializers.CharField(source="fault_kind")
    ply = serializers.IntegerField(source="fault_ply", allow_null=True)
    detail = serializers.CharField(source="fault_detail")


class SeatSerializer(RowSerializer[MatchSeat]):
    """One seat at the table, and its result."""

    version = SeatedVersionSerializer()
    rank = serializers.IntegerField(allow_null=True, help_text="0 = best; equal = tied.")
    fault = serializers.SerializerMethodField()

    class Meta:
        model = MatchSeat
        fields = (
            "seat",
            "version",
            "rank",
            "score",
            "fault",
            "cpu_ms",
            "wall_ms",
            "memory_peak_mb",
        )

    @extend_schema_field(FaultSerializer(allow_null=True))
    def get_fault(self, seat: MatchSeat) -> Any:  # Any: what a serializer made
        """Describe the fault, if there was one."""
        return FaultSerializer(seat).data if seat.fault_kind else None


class MatchSerializer(RowSerializer[Match]):
    """One play of a game."""

    seats = SeatSerializer(many=True)
    tournament = serializers.IntegerField(
        source="place.tournament_id", allow_null=True, default=None
    )

    seed = serializers.SerializerMethodField(
        help_text="null until the last match of its block is done."
    )
    alias = serializers.SerializerMethodField(
        help_text="The name of the match for its bots; null as long as the seed is null."
    )
    revoked = serializers.BooleanField(
        source="is_revoked", help_text="Whether its result was revoked and counts nowhere."
    )

    class Meta:
        model = Match
        fields: tuple[str, ...] = (
            "id",
            "kind",
            "game",
            "rules_version",
            "options",
            "seed",
            "alias",
            "limits",
            "rated",
            "tournament",
            "state",
            "state_reason",
            "revoked",
            "attempts_made",
            "ply",
            "outcome_reason",
            "sandbox",
            "chain",
            "seats",
            "created_at",
            "started_at",
            "finished_at",
        )

    @extend_schema_field({"type": "integer", "nullable": True})
    def get_seed(self, match: Match) -> int | None:
        """Return the seed once no match with it can still be played."""
        return None if match.is_sealed else match.seed

    @extend_schema_field({"type": "string", "nullable": True})
    def get_alias(self, match: Match) -> str | None:
        """Return the alias once the seed is shown."""
        return None if match.is_sealed else match.told_name


class AttemptSerializer(RowSerializer[Attempt]):
    """One attempt to run a match on a worker."""

    class Meta:
        model = Attempt
        fields = ("number", "state", "reason", "started_at", "ended_at")


class MatchDetailSerializer(MatchSerializer):
    """One play of a game, with its attempts and the reason why it is waiting."""

    waiting = serializers.SerializerMethodField()
    attempts = serializers.SerializerMethodField()

    class Meta(MatchSerializer.Meta):
        fields = (*MatchSerializer.Meta.fields, "waiting", "attempts")

    @extend_schema_field(ReasonSerializer(allow_null=True))
    def get_waiting(self, match: Match) -> Any:  # Any: what a serializer made
        """Return why the match is not running; null if it runs or is done."""
        reason = why_waiting(match)
        return None if reason is None else ReasonSerializer(reason).data

    @extend_schema_field(AttemptSerializer(many=True))
    def get_attempts(self, match: Match) -> Any:  # Any: what a serializer made
        """Return all attempts, the first one first."""
        return AttemptSerializer(match.attempts.order_by("number"), many=True).data


class MatchOrderSerializer(RequestSerializer):
    """The reason for replaying a match or making it void."""

    reason = PublicReasonField()


class EventsSerializer(serializers.Serializer[Any]):
    """The form of the positions in a stream."""

    view = serializers.ChoiceField(
        choices=[view.value for view in View],
        default=View.POSITION.value,
        help_text="The observation of a spectator as JSON, a drawing for terminals, or SVG.",
    )


class FollowedSerializer(EventsSerializer):
    """The matches that a stream follows."""

    match = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=LARGEST_ID),
        min_length=1,
        max_length=MOST_FOLLOWED,
        help_text="Ids of matches, each once or more: `?match=7&match=9`.",
    )


class MatchViewSet(ListModelMixin, Endpoint[Match]):
    """Matches. All are public except the validation of other people's uploads."""

    noun = "match"
    queryset = Match.objects.none()
    serializer_class = MatchSerializer
    filterset_class = MatchFilter
    pagination_class = MatchPages
    private_scopes = {"logs": Scope.PRIVATE_READ}
    query_parameters = {"events": ("view",), "events_of_several": ("view", "match")}
    write_scope = Scope.TOURNAMENTS_WRITE

    def get_queryset(self) -> MatchQuerySet:
        """Return the matches that this person may see."""
        visible = Match.objects.visible_to(self.reader).with_seats().with_privacy()
        return with_seals(visible).select_related("place")

    @extend_schema(responses=MatchDetailSerializer)
    def retrieve(self, request: Request, pk: str) -> Response:
        """Show one match, with its attempts and the reason why it is waiting."""
        return Response(MatchDetailSerializer(self.get_object()).data)

    @extend_schema(
        parameters=[EventsSerializer], responses={(200, "text/event-stream"): OpenApiTypes.STR}
    )
    @action(detail=True, pagination_class=None, filterset_class=None)
    def events(self, request: Request, pk: str) -> HttpResponse:
        """Follow a match live through server-sent events.

        `state` gives the state of the match; `plies` gives the events since the last message and
        the position as spectators may see it; `end` means that the match is over and its replay
        is available. Ids are "attempt-ply": a client that sends the last one as `Last-Event-ID`
        misses nothing. After a failure on our side `attempt` increases and plies start again.
        Hidden results are left out, and validations show no positions.
        """
        values = self.checked(EventsSerializer)
        found = self.get_object()
        return follow_matches(
            matches_now([found.pk]),
            who=who_asks(request._request, self.person),
            view=View(values["view"]),
            seen=request.headers.get("Last-Event-ID", "")[:32],
            private=[found.pk] if found.is_private else (),
        )

    @extend_schema(
        operation_id="matches_events_of_several",
        parameters=[FollowedSerializer],
        responses={(200, "text/event-stream"): OpenApiTypes.STR},
        filters=False,
    )
    @action(detail=False, url_path="events", pagination_class=None, filterset_class=None)
    def events_of_several(self, request: Request) -> HttpResponse:
        """Follow several matches over one connection through server-sent events.

        Name each match by `match`. The messages are those of a single match plus its `match`, and
        contain only what spectators may see. A message with nothing but an id follows them, such
        as `7:1-12,9:1-40`: the progress of each match. A client that sends it as
        `Last-Event-ID` misses nothing. The stream ends when all matches have ended.
        """
        values = self.checked(FollowedSerializer)
        wanted = set(values["match"])
        rows = Match.objects.visible_to(self.reader).with_privacy().filter(pk__in=wanted)
        found = {match.pk: match.is_private for match in rows}
        if missing := sorted(wanted - found.keys()):
            raise NotFound(f"There is no match {missing[0]} that you may see.", field="match")
        return follow_matches(
            matches_now(wanted),
            who=who_asks(request._request, self.person),
            view=View(values["view"]),
            seen=request.headers.get("Last-Event-ID", "")[:_LONGEST_MARK],
            private=[pk for pk, is_private in found.items() if is_private],
            names_matches=True,
        )

    @extend_schema(responses=AnalysisSerializer, filters=False)
    @action(detail=True, pagination_class=None, filterset_class=None)
    def analysis(self, request: Request, pk: str) -> Response:
        """Return the win chances at each ply of a finished match, estimated by playouts.

        Idle workers compute them, requested matches first. Until then the response is 404
        `analysis_not_ready`: try again in a few minutes. Other codes of 404:
        `match_not_done`, `analysis_hidden` until the results are released, `analysis_failed`.
        """
        match = self.get_object()
        return Response(AnalysisSerializer(analysis_of(match.pk, read_curve(match))).data)

    @extend_schema(request=None, responses=MatchDetailSerializer)
    @action(detail=True, methods=["post"])
    def requeue(self, request: Request, pk: str) -> Response:
        """Queue a void match of your own tournament again."""
        match = requeue_match(actor=self.actor, match=self.get_object())
        return Response(MatchDetailSerializer(self.get_queryset().get(pk=match.pk)).data)

    @extend_schema(request=MatchOrderSerializer, responses=MatchDetailSerializer)
    @action(detail=True, methods=["post"])
    def rerun(self, request: Request, pk: str) -> Response:
        """Play an ended match of your own tournament again; return the match in its place.

        Its result is revoked. A match that has not ended stays as it is.
        """
        values = self.checked(MatchOrderSerializer)
        match = rerun_match(actor=self.actor, match=self.get_object(), **values)
        return Response(MatchDetailSerializer(self.get_queryset().get(pk=match.pk)).data)

    @extend_schema(request=MatchOrderSerializer, responses=MatchDetailSerializer)
    @action(detail=True, methods=["post"])
    def void(self, request: Request, pk: str) -> Response:
        """Make a match of your own tournament void; return the match in its place.

        A void match is no bot's fault: it is replayed, at most twice per block;
        after that the whole block becomes void. A match that is already void stays as it is.
        """
        values = self.checked(MatchOrderSerializer)
        match = void_match(actor=self.actor, match=self.get_object(), **values)
        return Response(MatchDetailSerializer(self.get_queryset().get(pk=match.pk)).data)

    @extend_schema(responses=ExplanationSerializer(many=True), filters=False)
    @action(detail=True, pagination_class=None)
    def logs(self, request: Request, pk: str) -> Response:
        """Return what happened to your own bots in a finished match, and their output."""
        match = self.get_object()
        explained = explain_match(match=match, actor=self.actor)
        if not explained:
            raise NotFound(f"None of your bots played match {match.pk}.")
        return Response(ExplanationSerializer(explained, many=True).data)
