"""The entries of a tournament, which enter, change and leave."""

from functools import partial
from typing import Any

from django.db.models import Prefetch
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from api.matches.matches import SeatedVersionSerializer
from api.protocol.endpoint import LARGEST_ID, Endpoint, RowSerializer
from api.protocol.pagination import OnePage
from api.protocol.requests import PublicReasonField, ReasonField, RequestSerializer, naming
from api.tournaments.arrangements import InvitationRequestSerializer, InvitationSerializer
from pentathlon.bots.services import LONGEST_REASON
from pentathlon.tournaments.entries.enrolment import enter_tournament, reinstate_entry
from pentathlon.tournaments.entries.replacements import check_may_replace, replace_entry
from pentathlon.tournaments.entries.withdrawals import disqualify_entry, get_entry, withdraw_entry
from pentathlon.tournaments.guards import check_organiser
from pentathlon.tournaments.models import Entry, Tournament
from pentathlon.tournaments.organising.arrangement import invite_authors
from pentathlon.tournaments.people_rows import Replacement, Team

_ENTRY = r"entries/(?P<version>\d{1,18})"


class ReplacementToldSerializer(RowSerializer[Replacement]):
    """A version that replaced another one after the start."""

    old = SeatedVersionSerializer()
    new = SeatedVersionSerializer()
    first_block = serializers.IntegerField(
        allow_null=True,
        help_text="The first block that the new version plays; null while it is carried out, and "
        "while results are hidden from you.",
    )
    left = serializers.CharField(
        help_text="Why the old version had already left; empty if it was still taking part.",
    )
    kept = serializers.ListField(
        child=serializers.IntegerField(),
        help_text="Later blocks that the old version had begun; empty if `first_block` is null.",
    )

    class Meta:
        model = Replacement
        fields = ("old", "new", "reason", "left", "replaced_at", "first_block", "kept")

    def to_representation(self, instance: Replacement) -> dict[str, Any]:  # Any: JSON
        """Return the fields, without a block that would reveal the progress of hidden matches."""
        told = super().to_representation(instance)
        if not instance.is_settled or instance.tournament_id in self.context["hidden"]:
            told |= {"first_block": None, "kept": []}
        return told


class TeamNameSerializer(RowSerializer[Team]):
    """A team by its id and name; `/api/v1/teams/` lists its members."""

    class Meta:
        model = Team
        fields = ("id", "name")


class EntrySerializer(RowSerializer[Entry]):
    """A bot version that takes part."""

    version = SeatedVersionSerializer()
    team = TeamNameSerializer(
        allow_null=True, help_text="The team for which it plays; null if for its author alone."
    )
    replacements = ReplacementToldSerializer(many=True)

    class Meta:
        model = Entry
        fields = (
            "number",
            "version",
            "team",
            "state",
            "reason",
            "left_at",
            "revokes_results",
            "replacements",
        )


class EntryRequestSerializer(RequestSerializer):
    """The bot version to enter, alone or for a team."""

    version = serializers.IntegerField(source="version_id", min_value=1, max_value=LARGEST_ID)
    team = serializers.IntegerField(
        default=None,
        allow_null=True,
        min_value=1,
        max_value=LARGEST_ID,
        help_text="The id of a team of which you and the author of the version are members. All "
        "its members may withdraw and replace the bot.",
    )


class ReplacementSerializer(RequestSerializer):
    """The version that plays instead."""

    by = serializers.IntegerField(
        min_value=1,
        max_value=LARGEST_ID,
        help_text="Another version of the bot; until the start, also another bot of the same "
        "author or of a member of its team.",
    )
    reason = ReasonField(
        max_length=LONGEST_REASON,
        default="",
        allow_blank=True,
        help_text="Everybody can read it; required after the start.",
    )


class VerdictSerializer(RequestSerializer):
    """The reason for a disqualification, and whether results still count."""

    reason = PublicReasonField()
    revoke = serializers.BooleanField(
        default=False,
        help_text="Whether its finished matches stop counting, here and on leaderboards.",
    )


class ReinstatementSerializer(RequestSerializer):
    """The reason for lifting a disqualification."""

    reason = PublicReasonField()


class EntryActions(Endpoint[Tournament]):
    """The actions on the entries of a tournament, each named by the id of its bot version."""

    @extend_schema(responses=EntrySerializer(many=True), filters=False)
    @action(detail=True, pagination_class=OnePage)
    def entries(self, request: Request, pk: str) -> Response:
        """List the entries, in the order of entry."""
        entries = self.get_object().entries.in_order()
        replaced = Prefetch("replacements", queryset=Replacement.objects.in_order())
        return self.one_page(EntrySerializer, entries.prefetch_related(replaced))

    @extend_schema(request=EntryRequestSerializer, responses={201: EntrySerializer})
    @entries.mapping.post
    def enter(self, request: Request, pk: str) -> Response:
        """Enter a bot version of yours, alone or for a team, or as the organiser anybody's.

        A candidate is entered by its author alone. A team takes versions of its members. Authors
        can let no organiser enter their bots: `takes_organiser_entries` of `/api/v1/me/`.
        """
        values = self.checked(EntryRequestSerializer)
        enter = partial(enter_tournament, actor=self.actor, tournament=self.get_object())
        entry = naming(partial(enter, **values), {"versions": "version"})()
        return self._told(entry, status.HTTP_201_CREATED)

    @extend_schema(request=None, responses=EntrySerializer)
    @action(detail=True, methods=["post"], url_path=f"{_ENTRY}/withdraw")
    def withdraw(self, request: Request, pk: str, version: str) -> Response:
        """Withdraw an entry. Only its author, its team and the organiser may.

        After the start, its unplayed matches become void; its results stay.
        """
        tournament = self.get_object()
        entry = get_entry(tournament, int(version))
        withdraw_entry(actor=self.actor, tournament=tournament, version_id=int(version))
        return self._told(Entry.objects.filter(pk=entry.pk).first() or entry)

    @extend_schema(request=ReplacementSerializer, responses=EntrySerializer)
    @action(detail=True, methods=["post"], url_path=f"{_ENTRY}/replace")
    def replace(self, request: Request, pk: str, version: str) -> Response:
        """Replace an entry by another version. After the start, only the organiser may.

        The version that comes in has to be one that you could enter.
        The new version plays all blocks that have not begun. The old one finishes the others and
        keeps its results, which count for the entry. If it was withdrawn or stopped, it finishes
        nothing: the blocks that it had begun stay void. A disqualified version is not replaced.
        """
        tournament = self.get_object()
        check_may_replace(self.actor, tournament, get_entry(tournament, int(version)))
        values = self.checked(ReplacementSerializer)
        entry = replace_entry(
            actor=self.actor,
            tournament=tournament,
            version_id=int(version),
            **values,
        )
        return self._told(entry)

    @extend_schema(request=VerdictSerializer, responses=EntrySerializer)
    @action(detail=True, methods=["post"], url_path=f"{_ENTRY}/disqualify")
    def disqualify(self, request: Request, pk: str, version: str) -> Response:
        """Disqualify an entry, before, during or after the tournament. Only the organiser may.

        Until the start it can be reinstated.
        """
        tournament = self._get_own("disqualify a bot of")
        values = self.checked(VerdictSerializer)
        entry = disqualify_entry(
            actor=self.actor,
            tournament=tournament,
            version_id=int(version),
            **values,
        )
        return self._told(entry)

    @extend_schema(request=ReinstatementSerializer, responses=EntrySerializer)
    @action(detail=True, methods=["post"], url_path=f"{_ENTRY}/reinstate")
    def reinstate(self, request: Request, pk: str, version: str) -> Response:
        """Lift a disqualification before the start, with a reason. Only the organiser may."""
        tournament = self._get_own("reinstate a bot of")
        values = self.checked(ReinstatementSerializer)
        entry = reinstate_entry(
            actor=self.actor,
            tournament=tournament,
            version_id=int(version),
            **values,
        )
        return self._told(entry)

    @extend_schema(
        request=InvitationRequestSerializer,
        responses=InvitationSerializer(many=True),
        filters=False,
    )
    @action(detail=True, methods=["post"], pagination_class=None)
    def invitations(self, request: Request, pk: str) -> Response:
        """Invite authors by their user names; return all invited authors."""
        tournament = self._get_own("invite authors to")
        values = self.checked(InvitationRequestSerializer)
        invited: list[Any] = invite_authors(
            actor=self.actor,
            tournament=tournament,
            usernames=values["invited"],
        )
        return Response(InvitationSerializer(invited, many=True).data)

    def _get_own(self, to: str) -> Tournament:
        """Return the tournament; refuse anybody but its organiser before reading fields."""
        tournament = self.get_object()
        check_organiser(self.actor, tournament, to=to)
        return tournament

    def _told(self, entry: Entry, code: int = status.HTTP_200_OK) -> Response:
        context = self.get_serializer_context()
        return Response(EntrySerializer(entry, context=context).data, status=code)

    def one_page(self, serializer: type[serializers.BaseSerializer[Any]], rows: Any) -> Response:
        """Return all rows as a list of a single page."""
        return self.get_paginated_response(
            serializer(
                self.paginate_queryset(rows), many=True, context=self.get_serializer_context()
            ).data
        )
