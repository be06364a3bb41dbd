from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request

from api.protocol.endpoint import Endpoint
from pentathlon.accounts.models import Scope
from pentathlon.matches.models import Match, MatchQuerySet
from pentathlon.matches.replays.explanations import (
    Explanation,
    LimitUsage,
    RequestCost,
    as_text,
    bundle_seat,
    explain_seat,
)
from pentathlon.tournaments.scheduling.secrecy import check_unsealed
from pentathlon_engines.match.traces import TraceLine

_SCALE = 1000


class TurnSerializer(serializers.Serializer[RequestCost]):
    """One request to a bot, and the time it took."""

    ply = serializers.IntegerField()
    cpu_ms = serializers.IntegerField()
    wall_ms = serializers.IntegerField()
    is_fault = serializers.BooleanField(help_text="Whether it ended with a fault of the bot.")


class UseSerializer(serializers.Serializer[LimitUsage]):
    """A resource that a bot used, beside its limit."""

    name = serializers.CharField(help_text="Stable, such as `action_cpu` or `memory`.")
    used = serializers.FloatField()
    limit = serializers.FloatField(allow_null=True)
    unit = serializers.CharField()


class LineSerializer(serializers.Serializer[TraceLine]):
    """One line of the bot protocol, possibly incomplete."""

    way = serializers.ChoiceField(choices=(">", "<"), help_text="> to the bot, < from it.")
    text = serializers.CharField(help_text="Cut after 2,048 bytes.")
    size = serializers.IntegerField(help_text="The full size in bytes.")
    is_whole = serializers.BooleanField(help_text="False for output that was not a single line.")


class ExplanationSerializer(serializers.Serializer[Any]):
    """What happened to one of your bots in a match."""

    seat = serializers.IntegerField(source="place.seat")
    code = serializers.CharField(help_text="The kind of its fault, or the reason of the game.")
    is_fault = serializers.BooleanField()
    has_lost = serializers.BooleanField(
        help_text="Whether it made a fault or another bot ranked ahead."
    )
    what_happened = serializers.CharField()
    answer = serializers.CharField(
        allow_blank=True,
        help_text="What it wrote in place of an answer and what was expected; empty if that was "
        "not its fault. `pentathlon check` and `play` say the same.",
    )
    what_to_do = serializers.CharField()
    ply = serializers.IntegerField(help_text="The position in which it happened.")
    exit_status = serializers.IntegerField(
        source="place.exit_status",
        allow_null=True,
        help_text="The exit status; negative for a signal.",
    )
    ending = serializers.CharField(help_text="How the process ended, in words.")
    limits = serializers.SerializerMethodField()
    uses = UseSerializer(many=True)
    turns = TurnSerializer(many=True)
    lines = LineSerializer(many=True, help_text="The last protocol lines in both directions.")
    lines_are_rebuilt = serializers.BooleanField(
        help_text="Whether the lines were reconstructed from the record, without clocks."
    )
    text = serializers.CharField(source="log", help_text="The end of its standard error.")
    notes = serializers.JSONField(help_text="Pairs of a ply and a note.")

    @extend_schema_field({"type": "object", "additionalProperties": {"type": "number"}})
    def get_limits(self, explanation: Explanation) -> Any:  # Any: JSON of the record
        """Return the limits that were in force."""
        return explanation.record["limits"]


class SeatFileViewSet(Endpoint[Match]):
    """Files for the author of a bot about one seat of a finished match."""

    noun = "match"
    queryset = Match.objects.none()
    filter_backends = ()
    pagination_class = None
    conflicting_actions = ("bundle",)
    private_scopes = {"log": Scope.PRIVATE_READ, "bundle": Scope.PRIVATE_READ}

    def get_queryset(self) -> MatchQuerySet:
        """Return the matches that this person may see."""
        return Match.objects.visible_to(self.reader).with_seats().select_related("replay")

    @extend_schema(responses={(200, "text/plain"): OpenApiTypes.STR})
    def log(self, request: Request, pk: str, seat: str) -> HttpResponse:
        """Return what happened to your bot, as plain text."""
        told = explain_seat(match=self.get_object(), actor=self.actor, seat=int(seat))
        return _file(
            as_text(told).encode(), f"match-{pk}-seat-{seat}.txt", "text/plain; charset=utf-8"
        )

    @extend_schema(responses={(200, "application/zip"): OpenApiTypes.BINARY})
    def bundle(self, request: Request, pk: str, seat: str) -> HttpResponse:
        """Download a bundle; `pentathlon play` uses it to send your bot the same requests.

        It contains the seed: the response is 409 `sealed` until its whole block is done.
        """
        match = self.get_object()
        bundle = bundle_seat(match=match, actor=self.actor, seat=int(seat))
        check_unsealed(match)
        return _file(bundle.data, bundle.name, "application/zip")


def _file(data: bytes, name: str, content_type: str) -> HttpResponse:
    disposition = f'attachment; filename="{name}"'
    return HttpResponse(
        data, content_type=content_type, headers={"Content-Disposition": disposition}
    )


class PointSerializer(serializers.Serializer[Any]):
    """The chances at one measured ply, by seat."""

    ply = serializers.IntegerField(help_text="The number of events before the position.")
    playouts = serializers.IntegerField(help_text="0 at the end, where the result is known.")
    chances = serializers.ListField(
        child=serializers.FloatField(),
        help_text="Each seat's expected share of the first place.",
    )
    standard_errors = serializers.ListField(
        child=serializers.FloatField(), help_text="The standard errors of the chances."
    )
    shares = serializers.ListField(
        child=serializers.FloatField(),
        help_text="The share of the other seats that each seat is expected to beat.",
    )


class MarkSerializer(serializers.Serializer[Any]):
    """An event that changed the chances a lot."""

    ply = serializers.IntegerField(help_text="The position after it.")
    kind = serializers.ChoiceField(choices=["blunder", "turning_point"])
    cause = serializers.ChoiceField(choices=["action", "chance", "fault"])
    seat = serializers.IntegerField(allow_null=True, help_text="The seat that acted or failed.")
    before = serializers.ListField(child=serializers.FloatField())
    after = serializers.ListField(child=serializers.FloatField())


class AccuracySerializer(serializers.Serializer[Any]):
    """How accurate a seat's decisions were."""

    value = serializers.FloatField(
        allow_null=True, help_text="From 0 to 100; null if there were too few decisions."
    )
    error = serializers.FloatField(help_text="The standard error of the value.")
    decisions = serializers.IntegerField(help_text="The number of decisions measured.")
    loss = serializers.FloatField(help_text="The win chance that an average decision lost.")


class AnalysisSerializer(serializers.Serializer[Any]):
    """The win-chance curve of a match."""

    match = serializers.IntegerField()
    method = serializers.IntegerField(
        help_text="Changes whenever the method changes in a way that may alter curves."
    )
    plies = serializers.IntegerField(help_text="The last ply of the match.")
    points = PointSerializer(many=True, help_text="The curve is linear between the points.")
    marks = MarkSerializer(many=True)
    accuracies = AccuracySerializer(many=True, help_text="By seat.")


def analysis_of(match_id: int, curve: dict[str, Any]) -> dict[str, Any]:  # Any: JSON
    """Return a stored curve in the form of `AnalysisSerializer`."""
    return {
        **curve,
        "match": match_id,
        "points": [
            {
                "ply": ply,
                "playouts": playouts,
                "chances": _shares(chances),
                "standard_errors": _shares(errors),
                "shares": _shares(shares),
            }
            for ply, playouts, chances, errors, shares in curve["points"]
        ],
        "marks": [
            {**mark, "before": _shares(mark["before"]), "after": _shares(mark["after"])}
            for mark in curve["marks"]
        ],
    }


def _shares(thousandths: list[int]) -> list[float]:
    return [number / _SCALE for number in thousandths]
