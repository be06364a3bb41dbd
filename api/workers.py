from typing import Any

from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.mixins import ListModelMixin, RetrieveModelMixin
from rest_framework.request import Request
from rest_framework.response import Response

from api.protocol.access import ReadOrSignedIn, StaffOnly
from api.protocol.endpoint import LARGEST_ID, CountedView, Endpoint, RowSerializer
from api.protocol.pagination import GameFilter, OnePage
from api.protocol.requests import (
    PublicReasonField,
    ReasonField,
    RequestSerializer,
    check_parameters,
)
from pentathlon.accounts.models import Scope
from pentathlon.bots.services import LONGEST_REASON
from pentathlon.fleet.models import Worker, WorkerQuerySet
from pentathlon.matches.models import Attempt
from pentathlon.operations.status import LONG_WAIT_S, MOST_COUNTED, read_status
from pentathlon.trust.models import Quarantine, Verdict
from pentathlon.trust.quarantine import MOST_REVIEWED, end_quarantine, review_results, undecided
from pentathlon_engines.match.launcher import SandboxLevel


class LayerSerializer(serializers.Serializer[None]):
    """The state of one layer of a sandbox."""

    layer = serializers.CharField()
    state = serializers.CharField()
    detail = serializers.CharField()


class WorkerSerializer(RowSerializer[Worker]):
    """The capabilities of a worker; its name and host stay private."""

    games = serializers.DictField(
        child=serializers.IntegerField(), help_text="The version of the rules, by game key."
    )
    runtimes = serializers.ListField(child=serializers.CharField())
    untried = serializers.ListField(
        child=serializers.CharField(), help_text="Runtimes that it is still testing."
    )
    layers = LayerSerializer(many=True)

    class Meta:
        model = Worker
        fields = (
            "slots",
            "games",
            "runtimes",
            "untried",
            "sandbox",
            "layers",
            "starved",
            "held_slots",
            "version",
            "started_at",
            "seen_at",
        )


class WorkerFilter(filters.FilterSet):
    """Filters of workers."""

    game = GameFilter(method="that_play")
    sandbox = filters.ChoiceFilter(choices=[(level.value, level.value) for level in SandboxLevel])

    def that_play(self, workers: WorkerQuerySet, name: str, value: str) -> WorkerQuerySet:
        """Keep the workers that have the rules of a game."""
        return workers.filter(games__has_key=value)


class WorkerViewSet(ListModelMixin, Endpoint[Worker]):
    """Workers that are alive and play matches."""

    noun = "worker"
    queryset = Worker.objects.none()
    serializer_class = WorkerSerializer
    pagination_class = OnePage
    filterset_class = WorkerFilter
    shared_actions = ("list",)

    def get_queryset(self) -> WorkerQuerySet:
        """Return the workers with a recent heartbeat."""
        return Worker.objects.alive()


class QuarantineSerializer(RowSerializer[Quarantine]):
    """A worker token that gets no work until staff have reviewed its results."""

    token = serializers.CharField(source="token.name", help_text="The name of the token.")
    spot_check = serializers.IntegerField(
        source="check_of_id",
        allow_null=True,
        help_text="The spot check that caused it; null if none did.",
    )
    ended_by = serializers.CharField(source="ended_by.username", default=None, allow_null=True)

    class Meta:
        model = Quarantine
        fields = (
            "id",
            "token",
            "reason",
            "spot_check",
            "began_at",
            "ended_at",
            "ended_by",
            "end_reason",
        )


class QuestionedResultSerializer(RowSerializer[Attempt]):
    """A questioned result that nobody has reviewed."""

    match = serializers.IntegerField(source="match_id")
    game = serializers.CharField(source="match.game")
    rated = serializers.BooleanField(source="match.rated")

    class Meta:
        model = Attempt
        fields = ("match", "game", "rated", "worker", "ended_at")


class ReviewRequestSerializer(RequestSerializer):
    """A decision about questioned results."""

    verdict = serializers.ChoiceField(choices=Verdict.choices)
    reason = PublicReasonField()
    matches = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=LARGEST_ID),
        min_length=1,
        max_length=MOST_REVIEWED,
        default=None,
        allow_null=True,
        help_text=f"Ids of matches; null for all that are left, {MOST_REVIEWED} at a time.",
    )


class ReviewedSerializer(serializers.Serializer[Any]):  # Any: a plain answer
    """The number of results decided."""

    decided = serializers.IntegerField()
    left = serializers.IntegerField()


class EndSerializer(RequestSerializer):
    """Why a token may work again."""

    reason = ReasonField(max_length=LONGEST_REASON)


class QuarantineViewSet(ListModelMixin, RetrieveModelMixin, Endpoint[Quarantine]):
    """Quarantines of worker tokens; for staff."""

    noun = "quarantine"
    queryset = Quarantine.objects.listed()
    serializer_class = QuarantineSerializer
    permission_classes = (ReadOrSignedIn, StaffOnly)
    write_scope = Scope.TOURNAMENTS_WRITE
    private_scopes = dict.fromkeys(("list", "retrieve", "results"), Scope.PRIVATE_READ)
    query_parameters = {"results": ("cursor", "page_size")}
    filter_backends = ()

    @extend_schema(responses=QuestionedResultSerializer(many=True))
    @action(detail=True)
    def results(self, request: Request, pk: str) -> Response:
        """List the questioned results that nobody has reviewed, latest first."""
        # Any: the resource is of quarantines.
        found: Any = undecided(self.get_object()).select_related("match")
        page: Any = self.paginate_queryset(found)
        return self.get_paginated_response(QuestionedResultSerializer(page, many=True).data)

    @extend_schema(request=ReviewRequestSerializer, responses=ReviewedSerializer)
    @action(detail=True, methods=["post"])
    def review(self, request: Request, pk: str) -> Response:
        """Keep or revoke questioned results; a decision is final."""
        values = self.checked(ReviewRequestSerializer)
        quarantine, facts = self.get_object(), values
        decided = review_results(
            actor=self.actor,
            quarantine=quarantine,
            verdict=Verdict(facts["verdict"]),
            reason=facts["reason"],
            match_ids=facts["matches"],
        )
        return Response({"decided": decided, "left": undecided(quarantine).count()})

    @extend_schema(request=EndSerializer, responses=QuarantineSerializer)
    @action(detail=True, methods=["post"])
    def end(self, request: Request, pk: str) -> Response:
        """End the quarantine, once every questioned result of the token has been reviewed."""
        values = self.checked(EndSerializer)
        end_quarantine(actor=self.actor, quarantine=self.get_object(), reason=values["reason"])
        return Response(QuarantineSerializer(self.get_object()).data)


class GameStatusSerializer(serializers.Serializer[Any]):  # Any: some counts
    """Matches played of one game."""

    game = serializers.CharField()
    last_hour = serializers.IntegerField(help_text="Matches that have ended in it.")


class NewcomersSerializer(serializers.Serializer[Any]):  # Any: some counts
    """Validations and first ladder matches of new versions, which have one turn in eight."""

    waiting = serializers.IntegerField(help_text="How many have not begun.")
    median_wait_s = serializers.IntegerField(
        allow_null=True, help_text="For how long they have waited; null if none is waiting."
    )
    oldest_wait_s = serializers.IntegerField(allow_null=True)
    wait_long = serializers.BooleanField(
        help_text=f"Whether the oldest has waited for {LONG_WAIT_S} seconds or more."
    )


class StatusSerializer(serializers.Serializer[Any]):  # Any: some counts
    """The state of the platform in a few numbers."""

    reconciler_silent = serializers.BooleanField(
        help_text="Whether scheduling and rating are paused at the moment."
    )
    slots = serializers.IntegerField(
        help_text="The number of matches that workers can play at the same time."
    )
    running = serializers.IntegerField()
    waiting = serializers.IntegerField()
    oldest_wait_s = serializers.IntegerField(
        allow_null=True,
        help_text="How long the oldest waiting match has waited; null if none is waiting.",
    )
    newcomers = NewcomersSerializer()
    last_hour = serializers.IntegerField(help_text="Matches that have ended in it.")
    games = GameStatusSerializer(many=True)
    void_hour = serializers.IntegerField(help_text="Matches that became void in it.")
    deliveries = serializers.IntegerField(help_text="Webhook deliveries that are waiting.")
    most_counted = serializers.IntegerField(
        help_text=f"Matches are counted up to {MOST_COUNTED:,}; one more means more."
    )


class StatusView(CountedView):
    """The amount of work that runs and waits here."""

    @extend_schema(operation_id="status", responses=StatusSerializer)
    def get(self, request: Request) -> Response:
        """Return how much is running and waiting, and whether matches are being scheduled."""
        check_parameters(request.query_params, known=())
        return Response(StatusSerializer(read_status()).data)
