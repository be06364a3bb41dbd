"""Serializers of answers about tournaments."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from api.accounts.people import PersonSerializer
from api.tournaments.arrangements import ArrangedSerializer
from api.tournaments.tables import WarningSerializer
from pentathlon.tournaments.estimates.dry_runs import cautions_of
from pentathlon.tournaments.models import Tournament, TournamentState
from pentathlon.tournaments.organising.changes import setup_of


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
        read_only_fields = fields

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
        read_only_fields = fields

    def get_revision(self, tournament: Tournament) -> str | None:
        """Return a digest of all that can be changed now."""
        is_open = tournament.state == TournamentState.OPEN
        return setup_of(tournament).revision if is_open else None
