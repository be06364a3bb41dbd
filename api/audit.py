from typing import Any

from django.db.models import QuerySet
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.mixins import ListModelMixin
from rest_framework.request import Request
from rest_framework.response import Response

from api.protocol.access import ReadOrSignedIn, StaffOnly
from api.protocol.endpoint import Endpoint, RowSerializer
from api.protocol.pagination import PAGE_PARAMETERS, MomentFilter, OnePage, TextFilter
from pentathlon.accounts.audit.models import AuditAction, AuditedKind, AuditEvent
from pentathlon.accounts.models import Scope
from pentathlon.insight.rivalry.scores import AuthorResidual, author_residuals
from pentathlon.tournaments.models import Tournament
from pentathlon.tournaments.organising.audit_log import audit_events_of


class AuditEventSerializer(RowSerializer[AuditEvent]):
    """An action by an organiser or a member of staff."""

    actor = serializers.CharField(
        source="actor.username",
        default=None,
        allow_null=True,
        help_text="null for a command run by the operator, or for the platform itself.",
    )
    action = serializers.ChoiceField(choices=AuditAction.choices)
    kind = serializers.ChoiceField(choices=AuditedKind.choices)
    object = serializers.CharField(source="object_in_words", help_text="The object of the action.")
    person = serializers.CharField(
        source="person.username",
        default=None,
        allow_null=True,
        help_text="The person affected, or the owner of the bot affected.",
    )
    tournament = serializers.IntegerField(allow_null=True)
    details = serializers.DictField()

    class Meta:
        model = AuditEvent
        fields = (
            "id",
            "at",
            "actor",
            "action",
            "kind",
            "object_id",
            "object",
            "person",
            "tournament",
            "reason",
            "details",
        )


class AuthorResidualSerializer(serializers.Serializer[AuthorResidual]):
    """What an author's bots scored against another author's beyond expectation."""

    author = serializers.CharField()
    other = serializers.CharField(help_text="The author who lost the points.")
    game = serializers.CharField()
    rated = serializers.IntegerField(help_text="Their rated meetings; exact repeats count once.")
    points = serializers.FloatField(
        help_text="The sum of result less expected share, by the ratings before each match."
    )
    standard_errors = serializers.FloatField(
        help_text="`points` in standard errors. From 4 on, in many meetings, ratings do not "
        "explain the results: new bots rise, or two accounts feed each other."
    )


class AuditFilter(filters.FilterSet):
    """Filters of the audit log."""

    actor = TextFilter(field_name="actor__username", lookup_expr="iexact")
    person = TextFilter(field_name="person__username", lookup_expr="iexact")
    action = filters.ChoiceFilter(choices=AuditAction.choices)
    kind = filters.ChoiceFilter(choices=AuditedKind.choices)
    object_id = TextFilter()
    since = MomentFilter(field_name="at", lookup_expr="gte", help_text="Then or later.")
    until = MomentFilter(field_name="at", lookup_expr="lt", help_text="Before then.")


class AuditViewSet(ListModelMixin, Endpoint[AuditEvent]):
    """The audit log of organisers and staff. Only staff may read it."""

    noun = "audit event"
    queryset = AuditEvent.objects.listed()
    serializer_class = AuditEventSerializer
    filterset_class = AuditFilter
    permission_classes = (ReadOrSignedIn, StaffOnly)
    private_scopes = dict.fromkeys(("list", "residuals"), Scope.PRIVATE_READ)

    @extend_schema(responses=AuthorResidualSerializer(many=True), filters=False)
    @action(detail=False, pagination_class=OnePage)
    def residuals(self, request: Request) -> Response:
        """List the pairs of authors whose results are furthest beyond expectation, worst first."""
        rows: Any = self.paginate_queryset(author_residuals())  # Any: the resource is of events
        return self.get_paginated_response(AuthorResidualSerializer(rows, many=True).data)


class TournamentAuditViewSet(Endpoint[Tournament]):
    """The audit events of one tournament."""

    noun = "tournament"
    queryset = Tournament.objects.listed()
    query_parameters = {"events": PAGE_PARAMETERS}
    filter_backends = ()

    def get_queryset(self) -> QuerySet[Tournament]:
        """Leave out drafts of other people."""
        return Tournament.objects.visible_to(self.reader).listed()

    @extend_schema(responses=AuditEventSerializer(many=True))
    def events(self, request: Request, pk: str) -> Response:
        """List the actions of its organiser and staff, latest first.

        Everybody can read the actions that changed results or the field, with their reasons. The
        organiser and staff can read every action.
        """
        # Any: the resource is a tournament.
        found: Any = audit_events_of(self.get_object(), reader=self.reader)
        page: Any = self.paginate_queryset(found)
        return self.get_paginated_response(AuditEventSerializer(page, many=True).data)
