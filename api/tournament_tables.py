"""The tables of a tournament as JSON."""

from collections.abc import Sequence
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from api.matches import SeatedVersionSerializer
from pentathlon.tournaments.models import EntryState
from pentathlon.tournaments.standings import Score


class SkillSerializer(serializers.Serializer[Any]):
    """A rating."""

    mu = serializers.FloatField()
    sigma = serializers.FloatField()


class VersionShareSerializer(serializers.Serializer[Any]):
    """What one of the versions of an entry has reached."""

    version = SeatedVersionSerializer()
    points = serializers.FloatField()
    matches = serializers.IntegerField()
    rating = SkillSerializer(help_text="By its own results alone.")


class StandingSerializer(serializers.Serializer[Any]):
    """One line of the table."""

    place = serializers.IntegerField(
        allow_null=True, help_text="From 1; null for one that has left."
    )
    group = serializers.IntegerField(
        allow_null=True,
        help_text="Bots of different groups can be told apart; null without a place.",
    )
    state = serializers.ChoiceField(source="entry.state", choices=EntryState.choices)
    reason = serializers.CharField(source="entry.reason", help_text="Why it has left.")
    version = SeatedVersionSerializer()
    points = serializers.FloatField()
    byes = serializers.IntegerField(
        help_text="Rounds without a match that count as won blocks: two of the points each."
    )
    matches = serializers.IntegerField()
    wins = serializers.IntegerField()
    draws = serializers.IntegerField()
    losses = serializers.IntegerField()
    faults = serializers.IntegerField()
    rating = SkillSerializer()
    fold = SkillSerializer(allow_null=True, help_text="By the live rule in schedule order.")
    interval = serializers.ListField(
        child=serializers.FloatField(),
        help_text="Bounds that hold the true strength with 95 % probability; 25 is the mean.",
    )
    rank_interval = serializers.ListField(
        child=serializers.IntegerField(),
        allow_null=True,
        help_text="The best and the worst rank that it may have in truth; null before the close.",
    )
    chance_of_best = serializers.FloatField()
    tie_breaks = serializers.DictField(
        child=serializers.FloatField(allow_null=True),
        help_text="What each tie-break says, in their order.",
    )
    provisional = serializers.BooleanField(source="is_provisional")
    versions = VersionShareSerializer(
        source="shares",
        many=True,
        help_text="If one was replaced, what each of its versions has reached; else empty.",
    )


@extend_schema_field(
    {
        "type": "array",
        "items": {
            "type": ["object", "null"],
            "required": ["wins", "draws", "losses", "points"],
            "properties": {
                "wins": {"type": "integer"},
                "draws": {"type": "integer"},
                "losses": {"type": "integer"},
                "points": {"type": "number"},
            },
        },
    }
)
class CellsField(serializers.Field[Any, Any, Any, Any]):
    """Scores against everybody, null against oneself; in the document by hand, because the
    generator forgets that the items of a list may be null.
    """

    def to_representation(self, value: Sequence[Score | None]) -> list[dict[str, float] | None]:
        """Return the cells of a row: field by field, 50,000 of them would take half a second."""
        return [
            None
            if score is None
            else {
                "wins": score.wins,
                "draws": score.draws,
                "losses": score.losses,
                "points": score.points,
            }
            for score in value
        ]


class CrosstableRowSerializer(serializers.Serializer[Any]):
    """One bot version against the others, in the order of the table."""

    version = SeatedVersionSerializer(source="standing.version")
    points = serializers.FloatField(source="standing.points")
    cells = CellsField(help_text="null against itself.")


class SeatRateSerializer(serializers.Serializer[Any]):
    """How one seat did over all matches."""

    seat = serializers.IntegerField()
    wins = serializers.IntegerField(source="score.wins")
    draws = serializers.IntegerField(source="score.draws")
    losses = serializers.IntegerField(source="score.losses")
    share = serializers.FloatField(
        source="score.share", allow_null=True, help_text="0.5 is fair; null before any match."
    )


class ProgressSerializer(serializers.Serializer[Any]):
    """How far a tournament is, in matches."""

    total = serializers.IntegerField()
    done = serializers.IntegerField()
    running = serializers.IntegerField()
    waiting = serializers.IntegerField()
    void = serializers.IntegerField()
    share = serializers.FloatField(help_text="Of the matches that have ended, 0 to 1.")
    remaining_s = serializers.FloatField(
        allow_null=True, help_text="Until the end at the present pace; null while unknown."
    )
    fewest = serializers.IntegerField(
        allow_null=True, help_text="Matches in all, by results; null where `total` is sure."
    )
    most = serializers.IntegerField(allow_null=True)


class DryRunBlockSerializer(serializers.Serializer[Any]):
    """Matches of the same bots with the same seed."""

    number = serializers.IntegerField(help_text="From 1.")
    round = serializers.IntegerField()
    first_match = serializers.IntegerField(help_text="Its first match, from 1.")
    seatings = serializers.ListField(
        child=serializers.ListField(child=serializers.IntegerField()),
        help_text="By match and seat, the index of the bot in `document.entries`.",
    )


class WarningSerializer(serializers.Serializer[Any]):
    """Something that is allowed and rarely meant."""

    code = serializers.CharField()
    pointer = serializers.CharField(help_text="JSON pointer into the document.")
    detail = serializers.CharField()


class DryRunSerializer(serializers.Serializer[Any]):
    """What a tournament would be like. The start draws sides and order anew."""

    document = serializers.DictField()
    fewest = serializers.IntegerField(help_text="Matches.")
    expected = serializers.IntegerField(help_text="Matches.")
    most = serializers.IntegerField(help_text="Matches.")
    blocks = DryRunBlockSerializer(many=True, help_text="What is known before any result.")
    left_out = serializers.IntegerField(
        help_text="How many of the expected matches are not in `blocks`."
    )
    needs_results = serializers.BooleanField(help_text="Later blocks follow from results.")
    warnings = WarningSerializer(many=True)
    measured_matches = serializers.IntegerField(
        help_text="How many of the game's latest matches the figures below come from."
    )
    cpu_hours = serializers.FloatField(
        allow_null=True, help_text="Of bots, in the expected matches."
    )
    takes_s = serializers.FloatField(
        allow_null=True, help_text="Expected, with all free slots of the workers."
    )
    finishes_at = serializers.DateTimeField(
        allow_null=True, help_text="If it starts now and has all workers for itself."
    )
    reason = serializers.CharField(help_text="Why a figure is null.")
