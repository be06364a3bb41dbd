"""Teams: authors who enter bots together."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers, status
from rest_framework.decorators import action
from rest_framework.mixins import ListModelMixin, RetrieveModelMixin
from rest_framework.request import Request
from rest_framework.response import Response

from api.accounts.people import PersonSerializer
from api.protocol.endpoint import Endpoint, RowSerializer
from api.protocol.pagination import MadeFilterSet, TextFilter
from api.protocol.requests import RequestSerializer
from pentathlon.accounts.models import Scope
from pentathlon.tournaments.people_rows import LONGEST_TEAM, Team, TeamMember
from pentathlon.tournaments.teams.services import (
    accept_invitation,
    create_team,
    decline_invitation,
    delete_team,
    invite_member,
    leave_team,
    remove_member,
)


class TeamMemberSerializer(RowSerializer[TeamMember]):
    """A member, who has accepted."""

    person = PersonSerializer()

    class Meta:
        model = TeamMember
        fields = ("person", "accepted_at")


class TeamSerializer(RowSerializer[Team]):
    """A team with its members."""

    owner = PersonSerializer(help_text="Who invites and removes members.")
    members = TeamMemberSerializer(many=True, help_text="Who has accepted, the longest first.")
    invited = serializers.SerializerMethodField(
        help_text="User names without an answer yet; empty unless you are a member."
    )

    class Meta:
        model = Team
        fields = ("id", "name", "owner", "members", "invited", "created_at")

    @extend_schema_field({"type": "array", "items": {"type": "string"}})
    def get_invited(self, team: Team) -> list[str]:
        """Return whom the reader's own team has invited."""
        reader = self.context.get("reader")
        if reader is None or reader.pk not in {member.person_id for member in team.members}:
            return []
        names = team.memberships.invited().order_by("person__username")
        return list(names.values_list("person__username", flat=True))


class TeamInvitationSerializer(RowSerializer[TeamMember]):
    """An invitation that waits for your answer."""

    team = serializers.IntegerField(source="team_id")
    name = serializers.CharField(source="team.name")
    owner = PersonSerializer(source="team.owner")

    class Meta:
        model = TeamMember
        fields = ("team", "name", "owner", "invited_at")


class TeamRequestSerializer(RequestSerializer):
    """A new team."""

    name = serializers.CharField(max_length=LONGEST_TEAM, help_text="No other team may have it.")


class TeamPersonSerializer(RequestSerializer):
    """Somebody to invite, or to remove."""

    person = serializers.CharField(source="username", max_length=150, help_text="User name.")


class TeamFilter(MadeFilterSet):
    """Filters of teams."""

    member = TextFilter(method="with_member")

    def with_member(self, teams: QuerySet[Team], name: str, value: str) -> QuerySet[Team]:
        """Keep the teams of which a person is a member."""
        accepted = TeamMember.objects.accepted().filter(person__username__iexact=value)
        return teams.filter(pk__in=accepted.values("team"))


class TeamViewSet(ListModelMixin, RetrieveModelMixin, Endpoint[Team]):
    """Teams: everybody sees those who have accepted, nobody else sees who is only invited."""

    noun = "team"
    queryset = Team.objects.listed()
    serializer_class = TeamSerializer
    filterset_class = TeamFilter
    write_scope = Scope.TOURNAMENTS_WRITE
    private_scopes = {"invitations": Scope.PRIVATE_READ}

    def get_serializer_context(self) -> dict[str, Any]:  # Any: as the framework has it
        """Add the reader, since members see invitations."""
        return {**super().get_serializer_context(), "reader": self.reader}

    @extend_schema(request=TeamRequestSerializer, responses={201: TeamSerializer})
    def create(self, request: Request) -> Response:
        """Found a team; you own it and are its first member."""
        values = self.checked(TeamRequestSerializer)
        team = create_team(actor=self.actor, **values)
        return self._told(team, status.HTTP_201_CREATED)

    @extend_schema(responses={204: None})
    def destroy(self, request: Request, pk: str) -> Response:
        """Delete your team, if it has never entered a bot."""
        delete_team(actor=self.actor, team=self.get_object())
        return Response(status=status.HTTP_204_NO_CONTENT)

    @extend_schema(responses=TeamInvitationSerializer(many=True), filters=False)
    @action(detail=False, pagination_class=None)
    def invitations(self, request: Request) -> Response:
        """List the teams that have invited you and wait for your answer."""
        own = TeamMember.objects.invited().filter(person=self.actor)
        rows = own.select_related("team__owner").order_by("-pk")
        return Response(TeamInvitationSerializer(rows, many=True).data)

    @extend_schema(request=TeamPersonSerializer, responses=TeamSerializer)
    @action(detail=True, methods=["post"])
    def invite(self, request: Request, pk: str) -> Response:
        """Invite somebody to your team. Only its owner may."""
        values = self.checked(TeamPersonSerializer)
        team = self.get_object()
        invite_member(actor=self.actor, team=team, **values)
        return self._told(team)

    @extend_schema(request=TeamPersonSerializer, responses=TeamSerializer)
    @action(detail=True, methods=["post"])
    def remove(self, request: Request, pk: str) -> Response:
        """Remove a member from your team, or take an invitation back. Only its owner may.

        Entries stay: the author of a bot can still withdraw it.
        """
        values = self.checked(TeamPersonSerializer)
        team = self.get_object()
        remove_member(actor=self.actor, team=team, **values)
        return self._told(team)

    @extend_schema(request=None, responses=TeamSerializer)
    @action(detail=True, methods=["post"])
    def accept(self, request: Request, pk: str) -> Response:
        """Accept an invitation; everybody sees you as a member from then on."""
        team = self.get_object()
        accept_invitation(actor=self.actor, team=team)
        return self._told(team)

    @extend_schema(request=None, responses={204: None})
    @action(detail=True, methods=["post"])
    def decline(self, request: Request, pk: str) -> Response:
        """Decline an invitation."""
        decline_invitation(actor=self.actor, team=self.get_object())
        return Response(status=status.HTTP_204_NO_CONTENT)

    @extend_schema(request=None, responses={204: None})
    @action(detail=True, methods=["post"])
    def leave(self, request: Request, pk: str) -> Response:
        """Leave a team. If you own it, it passes to its longest member."""
        leave_team(actor=self.actor, team=self.get_object())
        return Response(status=status.HTTP_204_NO_CONTENT)

    def _told(self, team: Team, code: int = status.HTTP_200_OK) -> Response:
        told = self.get_serializer(self.get_queryset().get(pk=team.pk))
        return Response(told.data, status=code)
