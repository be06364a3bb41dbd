"""Invitations: teams that people join, and tournaments that are handed over."""

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
from api.protocol.requests import PublicReasonField, RequestSerializer
from pentathlon.accounts.models import Scope
from pentathlon.core.errors import NotFound
from pentathlon.tournaments.handovers.models import Handover, OrganiserRole
from pentathlon.tournaments.handovers.services import (
    accept_tournament,
    assign_tournament,
    end_offer,
    offer_of,
    offer_share,
    offer_tournament,
    organisers_of,
    remove_organiser,
)
from pentathlon.tournaments.models import Tournament
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


class HandoverSerializer(RowSerializer[Handover]):
    """An offer that waits for its answer."""

    person = PersonSerializer(help_text="The person to whom it is offered.")

    class Meta:
        model = Handover
        fields = ("person", "is_shared", "offered_at")


class OfferSerializer(RequestSerializer):
    """The person to whom a tournament is offered."""

    person = serializers.CharField(
        source="username", max_length=150, help_text="User name of another organiser."
    )


class AssignmentSerializer(OfferSerializer):
    """The new organiser of a tournament, and the reason."""

    reason = PublicReasonField()


class OrganiserSerializer(serializers.Serializer[Any]):
    """Somebody who organises a tournament, or was asked to."""

    person = PersonSerializer()
    role = serializers.ChoiceField(
        choices=OrganiserRole.choices,
        help_text="Organisers and staff alone see who was asked to join.",
    )
    since = serializers.DateTimeField(
        allow_null=True, help_text="When a co-organiser accepted; null for others."
    )


class HandoverActions(Endpoint[Tournament]):
    """Handing a tournament over."""

    @extend_schema(responses=HandoverSerializer)
    @action(detail=True)
    def handover(self, request: Request, pk: str) -> Response:
        """Show the offer of a tournament to its organisers, its recipient and staff.

        For others the response is 404 `no_offer`.
        """
        tournament = self.get_object()
        offer = offer_of(tournament, reader=self.actor)
        if offer is None:
            raise NotFound(f"{tournament.name} is not offered to anybody.", code="no_offer")
        return Response(HandoverSerializer(offer).data)

    @extend_schema(request=OfferSerializer, responses={201: HandoverSerializer})
    @handover.mapping.post
    def offer(self, request: Request, pk: str) -> Response:
        """Offer your tournament to another organiser, who may not play in it.

        It stays yours until they accept. An earlier offer ends.
        """
        values = self.checked(OfferSerializer)
        offer = offer_tournament(actor=self.actor, tournament=self.get_object(), **values)
        return Response(HandoverSerializer(offer).data, status=status.HTTP_201_CREATED)

    @extend_schema(responses={204: None})
    @handover.mapping.delete
    def end_handover(self, request: Request, pk: str) -> Response:
        """Decline the offer made to you, or withdraw yours to hand the tournament over."""
        end_offer(actor=self.actor, tournament=self.get_object())
        return Response(status=status.HTTP_204_NO_CONTENT)

    @extend_schema(request=None, responses={204: None})
    @action(detail=True, methods=["post"], url_path="handover/accept")
    def accept_handover(self, request: Request, pk: str) -> Response:
        """Accept a tournament offered to you; you become its organiser, or one of several."""
        accept_tournament(actor=self.actor, tournament=self.get_object())
        return Response(status=status.HTTP_204_NO_CONTENT)

    @extend_schema(request=AssignmentSerializer, responses={204: None})
    @action(detail=True, methods=["post"], url_path="handover/assign")
    def assign_handover(self, request: Request, pk: str) -> Response:
        """Give a tournament to another organiser, with a reason. Only staff may."""
        values = self.checked(AssignmentSerializer)
        assign_tournament(actor=self.actor, tournament=self.get_object(), **values)
        return Response(status=status.HTTP_204_NO_CONTENT)

    @extend_schema(responses=OrganiserSerializer(many=True), filters=False)
    @action(detail=True, pagination_class=None)
    def organisers(self, request: Request, pk: str) -> Response:
        """List who organises a tournament, the owner first."""
        return self._organisers(self.get_object(), status.HTTP_200_OK)

    @extend_schema(request=OfferSerializer, responses={201: OrganiserSerializer(many=True)})
    @organisers.mapping.post
    def invite_organiser(self, request: Request, pk: str) -> Response:
        """Ask another organiser, who may not play in it, to organise it with you.

        They accept or decline as they do a handover. Then they may do all that the owner may, but
        hand it over and remove other organisers.
        """
        values = self.checked(OfferSerializer)
        tournament = self.get_object()
        offer_share(actor=self.actor, tournament=tournament, **values)
        return self._organisers(tournament, status.HTTP_201_CREATED)

    @extend_schema(responses={204: None})
    @action(detail=True, methods=["delete"], url_path=r"organisers/(?P<username>[^/]{1,150})")
    def remove_organiser(self, request: Request, pk: str, username: str) -> Response:
        """Leave the organisers, remove one as the owner, or take an invitation back."""
        remove_organiser(actor=self.actor, tournament=self.get_object(), username=username)
        return Response(status=status.HTTP_204_NO_CONTENT)

    def _organisers(self, tournament: Tournament, code: int) -> Response:
        lines = organisers_of(tournament, reader=self.reader)
        return Response(OrganiserSerializer(lines, many=True).data, status=code)


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
