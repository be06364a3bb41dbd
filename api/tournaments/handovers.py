"""Handovers of tournaments to other organisers."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from api.accounts.people import PersonSerializer
from api.protocol.endpoint import Endpoint, RowSerializer
from api.protocol.requests import PublicReasonField, RequestSerializer
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
