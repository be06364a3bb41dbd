"""Win-chance curves as the API shows them: shares from 0 to 1."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

_SCALE = 1000


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
