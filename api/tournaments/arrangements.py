"""Arrangements around a tournament, as JSON."""

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from api.accounts.people import PersonSerializer
from api.protocol.endpoint import RowSerializer
from api.protocol.requests import MomentField, RequestSerializer
from api.tournaments.tables import WarningSerializer
from pentathlon.core.errors import DomainError
from pentathlon.tournaments.entries.eligibility import ENTRY_LANGUAGES, EntryRules
from pentathlon.tournaments.estimates.dry_runs import cautions_of
from pentathlon.tournaments.models import Tournament, TournamentState
from pentathlon.tournaments.organising.arrangement import (
    LONGEST_DESCRIPTION,
    MOST_INVITED,
    Arrangement,
    problems_of,
)
from pentathlon.tournaments.organising.changes import setup_of


class EntryRulesSerializer(RequestSerializer):
    """Which bots authors may enter; an omitted rule does not restrict."""

    languages = serializers.ListField(
        child=serializers.CharField(max_length=20),
        max_length=20,
        default=list,
        help_text=f"Any of {', '.join(ENTRY_LANGUAGES)}.",
    )
    newest_only = serializers.BooleanField(
        default=False, help_text="Only the newest version of a bot."
    )
    uploaded_from = MomentField(
        default=None, allow_null=True, help_text="Only versions uploaded at this time or later."
    )
    new_bots_from = MomentField(
        default=None, allow_null=True, help_text="Only bots first uploaded at this time or later."
    )
    most_versions = serializers.IntegerField(
        default=None, allow_null=True, help_text="Only bots with at most this many versions."
    )
    fewest_matches = serializers.IntegerField(
        default=None,
        allow_null=True,
        help_text="Only versions with at least this many rated matches of the game.",
    )
    entries_per_team = serializers.IntegerField(
        default=None, allow_null=True, help_text="How many bots one team may enter."
    )


class ArrangementSerializer(RequestSerializer):
    """Dates, secrecy and rules of entry of a new tournament, and whether it is rated."""

    description = serializers.CharField(
        default="",
        allow_blank=True,
        max_length=LONGEST_DESCRIPTION,
        help_text="About the tournament, in Markdown; without images and HTML.",
    )
    closes_entries_at = MomentField(
        default=None,
        allow_null=True,
        help_text="After this time only the organiser can enter bots.",
    )
    starts_at = MomentField(
        default=None, allow_null=True, help_text="When it starts automatically."
    )
    hides_results = serializers.BooleanField(
        default=False, help_text="Only you and staff see results before their release; unrated."
    )
    freezes_at = MomentField(
        default=None, allow_null=True, help_text="Results after this time are hidden; unrated."
    )
    releases_at = MomentField(
        default=None, allow_null=True, help_text="When hidden results are released automatically."
    )
    entry_rules = EntryRulesSerializer(default=dict)
    by_invitation = serializers.BooleanField(
        default=False, help_text="Only invited authors can enter bots."
    )
    invited = serializers.ListField(
        child=serializers.CharField(max_length=150),
        max_length=MOST_INVITED,
        default=list,
        help_text="User names.",
    )

    def further_problems(self) -> Iterator[DomainError]:
        """Yield the semantic errors of the valid fields."""
        right = self.right_values(*arrangement_fields(), "rated")
        yield from problems_of(take_arrangement(right), rated=right["rated"])


def arrangement_fields() -> list[str]:
    """Return the names of the fields of an arrangement."""
    return [each.name for each in fields(Arrangement)]


def take_arrangement(asked: dict[str, Any]) -> Arrangement:  # Any: checked values of a request
    """Extract the arrangement from a validated request."""
    values: dict[str, Any] = {name: asked.pop(name) for name in arrangement_fields()}
    rules = values["entry_rules"]
    values["entry_rules"] = EntryRules(**{**rules, "languages": tuple(rules.get("languages", ()))})
    values["invited"] = tuple(values["invited"])
    values["description"] = values["description"].replace("\r\n", "\n")
    return Arrangement(**values)


class ArrangedSerializer(RowSerializer[Tournament]):
    """How a tournament is arranged."""

    entry_rules = serializers.JSONField(help_text="The rules that restrict entries.")

    class Meta:
        model = Tournament
        fields: tuple[str, ...] = (
            "event",
            "closes_entries_at",
            "starts_at",
            "start_problem",
            "problem",
            "hides_results",
            "freezes_at",
            "released_at",
            "entry_rules",
            "by_invitation",
        )


class InvitationRequestSerializer(RequestSerializer):
    """Authors to invite."""

    invited = serializers.ListField(
        child=serializers.CharField(max_length=150), max_length=MOST_INVITED
    )


class InvitationSerializer(serializers.Serializer[Any]):
    """An author who may enter bots."""

    username = serializers.CharField(source="person.username")
    invited_at = serializers.DateTimeField()


class TournamentSerializer(ArrangedSerializer):
    """A tournament and its document."""

    owner = PersonSerializer()
    bots = serializers.IntegerField()
    matches = serializers.IntegerField(
        allow_null=True,
        help_text="The number of scheduled matches; null while results are hidden from you.",
    )
    matches_done = serializers.IntegerField(
        allow_null=True, help_text="null while results are hidden from you."
    )
    commitment = serializers.CharField(
        allow_null=True,
        help_text="SHA-256 of the secret from which schedule and seeds are derived.",
    )
    secret = serializers.CharField(
        source="revealed_secret", allow_null=True, help_text="null until it closes."
    )
    warnings = serializers.SerializerMethodField(
        help_text="Settings that are allowed but rarely intended; empty after the start."
    )

    class Meta(ArrangedSerializer.Meta):
        fields = (
            *ArrangedSerializer.Meta.fields,
            "id",
            "name",
            "game",
            "format",
            "owner",
            "table_seats",
            "scheduler",
            "params",
            "tie_breaks",
            "leaving",
            "rules_version",
            "commitment",
            "secret",
            "secret_given",
            "options",
            "limits",
            "rated",
            "entries_per_author",
            "state",
            "bots",
            "matches",
            "matches_done",
            "warnings",
            "created_at",
            "started_at",
            "finished_at",
        )

    @extend_schema_field(WarningSerializer(many=True))
    def get_warnings(self, tournament: Tournament) -> list[dict[str, Any]]:  # Any: JSON
        """Return the warnings that a dry run would give."""
        return [caution.to_json() for caution in cautions_of(tournament)]

    def to_representation(self, instance: Tournament) -> dict[str, Any]:  # Any: JSON
        """Return the fields, without the numbers of matches if the reader may see no results."""
        told = super().to_representation(instance)
        if instance.pk in self.context["hidden"]:
            told["matches"] = told["matches_done"] = None
        return told


class FullTournamentSerializer(TournamentSerializer):
    """A tournament with what its organisers say about it."""

    organisers = serializers.ListField(
        source="organiser_names",
        child=serializers.CharField(),
        help_text="User names, the owner first.",
    )
    description = serializers.CharField(help_text="Markdown; empty if there is none.")
    revision = serializers.SerializerMethodField(
        help_text="Name it to change the tournament while it is open; null before and after."
    )

    class Meta(TournamentSerializer.Meta):
        fields = (*TournamentSerializer.Meta.fields, "organisers", "description", "revision")

    def get_revision(self, tournament: Tournament) -> str | None:
        """Return a digest of all that can be changed now."""
        is_open = tournament.state == TournamentState.OPEN
        return setup_of(tournament).revision if is_open else None
