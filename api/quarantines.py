from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.mixins import ListModelMixin, RetrieveModelMixin
from rest_framework.request import Request
from rest_framework.response import Response

from api.protocol.endpoint import LARGEST_ID, Endpoint
from api.protocol.permissions import ReadOrSignedIn, StaffOnly
from api.protocol.requests import PublicReasonField, ReasonField, RequestSerializer
from pentathlon.accounts.models import Scope
from pentathlon.bots.services import LONGEST_REASON
from pentathlon.matches.models import Attempt
from pentathlon.trust.models import Quarantine, Verdict
from pentathlon.trust.quarantine import (
    MOST_REVIEWED,
    end_quarantine,
    review_results,
    undecided,
)


class QuarantineSerializer(serializers.ModelSerializer[Quarantine]):
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
        read_only_fields = fields


class QuestionedResultSerializer(serializers.ModelSerializer[Attempt]):
    """A questioned result that nobody has reviewed."""

    match = serializers.IntegerField(source="match_id")
    game = serializers.CharField(source="match.game")
    rated = serializers.BooleanField(source="match.rated")

    class Meta:
        model = Attempt
        fields = ("match", "game", "rated", "worker", "ended_at")
        read_only_fields = fields


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
