from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from api.accounts.people import PersonSerializer
from api.protocol.endpoint import LARGEST_ID, Endpoint, RowSerializer, read_id
from api.protocol.pagination import PAGE_PARAMETERS, PAGES_TOLD, CursorPages, OnePage
from pentathlon.bots.models import Bot
from pentathlon.core.errors import InvalidInput, NotFound
from pentathlon.insight.rivalry.head_to_head import (
    HeadToHead,
    PairFilter,
    meetings,
    read_head_to_head,
)
from pentathlon.insight.rivalry.models import Meeting
from pentathlon.insight.rivalry.opponents import OpponentLine, rivals_of
from pentathlon.insight.rivalry.scores import MILLION
from pentathlon_engines import GAMES
from pentathlon_engines.contract.registry import unknown_game

_NARROWING = ("game", "version", "other_version", "tournament")
GAME_PARAMETER = OpenApiParameter("game", str, enum=list(GAMES), description="Key of a game.")
_PARAMETERS = [
    GAME_PARAMETER,
    *(
        OpenApiParameter(
            name, {"type": "integer", "minimum": 1, "maximum": LARGEST_ID}, description=text
        )
        for name, text in (
            ("version", "Id of a version of the first bot."),
            ("other_version", "Id of a version of the other bot."),
            ("tournament", "Id of a tournament."),
        )
    ),
]


class MatchesFirst(CursorPages):
    """Pages of meetings."""

    ordering = ("-match", "-id")


class RivalScoreSerializer(serializers.Serializer[Any]):  # Any: one, or many
    """The score of one bot or author against another; exact repeats of a match count once."""

    meetings = serializers.IntegerField(
        help_text="The number of matches, including exact repeats."
    )
    counted = serializers.IntegerField()
    wins = serializers.IntegerField()
    draws = serializers.IntegerField()
    losses = serializers.IntegerField(help_text="Losses, including matches in which both failed.")
    points = serializers.FloatField(help_text="One for finishing ahead, half for a tie.")
    share = serializers.FloatField(allow_null=True)
    interval = serializers.ListField(
        child=serializers.FloatField(), help_text="95 % interval of the share."
    )
    rated = serializers.IntegerField(help_text="Meetings with an expected score.")
    expected = serializers.FloatField(
        allow_null=True, help_text="The expected share, by the ratings just before each match."
    )
    difference = serializers.FloatField(
        allow_null=True, help_text="The share in rated meetings minus the expected share."
    )


class OpponentBotSerializer(RowSerializer[Bot]):
    """A bot in short."""

    owner = PersonSerializer()

    class Meta:
        model = Bot
        fields = ("id", "name", "owner")


class OpponentSerializer(serializers.Serializer[OpponentLine]):
    """One opponent of a bot in a game."""

    opponent = OpponentBotSerializer()
    game = serializers.CharField()
    score = RivalScoreSerializer()


class BestWinSerializer(serializers.Serializer[Meeting]):
    """A win against an opponent who was rated highly just before the match."""

    match = serializers.IntegerField(source="match_id")
    ended_on = serializers.DateField(help_text="In UTC.")
    opponent = OpponentBotSerializer(source="other_version.bot")
    version = serializers.IntegerField(
        source="other_version_id", help_text="The opponent's version."
    )
    rating = serializers.FloatField(
        source="beaten_score", help_text="The opponent's rating just before the match."
    )


class SeatScoreSerializer(serializers.Serializer[Any]):  # Any: one, or many
    """The results of a bot in one seat."""

    seats = serializers.IntegerField(help_text="The number of seats at the table.")
    seat = serializers.IntegerField()
    score = RivalScoreSerializer()


class LengthScoreSerializer(serializers.Serializer[Any]):  # Any: one, or many
    """The results of a bot in matches of one length."""

    low = serializers.IntegerField(help_text="The shortest length, in plies.")
    high = serializers.IntegerField()
    score = RivalScoreSerializer()


class RivalsSerializer(serializers.Serializer[Any]):  # Any: gathered facts
    """A summary of a bot's latest meetings in a game."""

    game = serializers.CharField(
        allow_null=True,
        help_text="The game; by default the one played last. null if the bot has met no one.",
    )
    games = serializers.ListField(
        child=serializers.CharField(), help_text="All games in which it has met other bots."
    )
    most_met = OpponentSerializer(many=True)
    best_wins = BestWinSerializer(many=True)
    seats = SeatScoreSerializer(many=True)
    lengths = LengthScoreSerializer(many=True)


class PlaceScoreSerializer(SeatScoreSerializer):
    """The score in one seat, in a game."""

    game = serializers.CharField()


class LineupScoreSerializer(serializers.Serializer[Any]):  # Any: JSON
    """The score of one version against another."""

    version = serializers.IntegerField()
    other_version = serializers.IntegerField()
    score = RivalScoreSerializer()


class CompetitionScoreSerializer(serializers.Serializer[Any]):  # Any: JSON
    """The score in one tournament or ladder season, or in all challenges together."""

    kind = serializers.CharField()
    tournament = serializers.IntegerField(allow_null=True)
    name = serializers.CharField(allow_null=True)
    score = RivalScoreSerializer()


class StreakSerializer(serializers.Serializer[Any]):  # Any: JSON
    """The most wins in a row, among the latest meetings."""

    length = serializers.IntegerField()
    since = serializers.IntegerField(help_text="Id of the first of these matches.")


class HeadToHeadSerializer(serializers.Serializer[Any]):  # Any: JSON
    """The latest 3,000 meetings of two bots, from the first one's point of view."""

    bot = OpponentBotSerializer()
    other = OpponentBotSerializer()
    score = RivalScoreSerializer()
    both_failed = serializers.IntegerField()
    seats = PlaceScoreSerializer(many=True)
    lineups = LineupScoreSerializer(many=True)
    competitions = CompetitionScoreSerializer(many=True)
    streak = StreakSerializer(allow_null=True)
    other_streak = StreakSerializer(allow_null=True)


class MeetingSerializer(serializers.Serializer[Meeting]):
    """One match between two bots, from the first one's point of view."""

    match = serializers.IntegerField(source="match_id")
    game = serializers.CharField()
    kind = serializers.CharField()
    ended_on = serializers.DateField(help_text="In UTC.")
    plies = serializers.IntegerField()
    version = serializers.IntegerField(source="version_id")
    other_version = serializers.IntegerField(source="other_version_id")
    points = serializers.SerializerMethodField()
    expected = serializers.SerializerMethodField()
    repeat = serializers.BooleanField(
        source="is_repeat", help_text="Whether it repeats an earlier match move by move."
    )

    def get_points(self, meeting: Meeting) -> float:
        """Return the first bot's points: 0, ½ or 1."""
        return meeting.half_points / 2

    def get_expected(self, meeting: Meeting) -> float | None:
        """Return the first bot's expected share of the points, by the ratings."""
        return None if meeting.expected is None else meeting.expected / MILLION


class RivalViewSet(Endpoint[Meeting]):
    """A bot against all others."""

    queryset = Meeting.objects.none()
    filter_backends = ()
    pagination_class = OnePage
    shared_actions = ("opponents", "rivals")
    query_parameters = {"opponents": ("game",), "rivals": ("game",)}

    @extend_schema(
        operation_id="bots_opponents",
        parameters=[GAME_PARAMETER],
        responses=OpponentSerializer(many=True),
    )
    def opponents(self, request: Request, pk: str) -> Response:
        """List opponents in a bot's latest 3,000 meetings in a game, the most frequent first."""
        rivals = rivals_of(_bot(pk).pk, _game(request))
        page: Any = self.paginate_queryset(rivals.opponents)  # Any: all of them
        return self.get_paginated_response(OpponentSerializer(page, many=True).data)

    @extend_schema(
        operation_id="bots_rivals",
        parameters=[GAME_PARAMETER],
        responses=RivalsSerializer,
        filters=False,
    )
    def rivals(self, request: Request, pk: str) -> Response:
        """Show a bot's rivals in a game: most frequent ones, best wins, by seat and length."""
        rivals = rivals_of(_bot(pk).pk, _game(request))
        return Response({**RivalsSerializer(rivals).data, "game": rivals.game or None})


class HeadToHeadViewSet(Endpoint[Meeting]):
    """Two bots against each other."""

    queryset = Meeting.objects.none()
    serializer_class = MeetingSerializer
    filter_backends = ()
    pagination_class = MatchesFirst
    shared_actions = ("against", "meetings")
    query_parameters = {"against": _NARROWING, "meetings": (*_NARROWING, *PAGE_PARAMETERS)}

    @extend_schema(
        operation_id="bots_against", parameters=_PARAMETERS, responses=HeadToHeadSerializer
    )
    def against(self, request: Request, pk: str, other: str) -> Response:
        """Return the score of a bot against another one, by seat, version and competition."""
        pair = read_head_to_head(_bot(pk), _bot(other), _selected(request))
        return Response(HeadToHeadSerializer(_facts(pair)).data)

    @extend_schema(
        operation_id="bots_meetings",
        parameters=[*_PARAMETERS, *PAGES_TOLD],
        responses=MeetingSerializer(many=True),
    )
    def meetings(self, request: Request, pk: str, other: str) -> Response:
        """List the public matches between two bots, latest first."""
        rows = meetings(_bot(pk), _bot(other), _selected(request))
        page: Any = self.paginate_queryset(rows)  # Any: a page of meetings
        return self.get_paginated_response(MeetingSerializer(page, many=True).data)


def _facts(pair: HeadToHead) -> dict[str, object]:
    return {
        "bot": pair.bot,
        "other": pair.other,
        "score": pair.score,
        "both_failed": pair.both_failed,
        "seats": [{**place._asdict(), "score": score} for place, score in pair.places.items()],
        "lineups": [
            {"version": own, "other_version": other, "score": score}
            for (own, other), score in pair.lineups.items()
        ],
        "competitions": [
            {
                "kind": line.kind.value,
                "tournament": line.tournament.pk if line.tournament else None,
                "name": line.tournament.name if line.tournament else None,
                "score": line.score,
            }
            for line in pair.competitions
        ],
        "streak": pair.streaks[0],
        "other_streak": pair.streaks[1],
    }


def _bot(pk: str) -> Bot:
    """Return a bot with its owner; refuse an unknown id."""
    bot = Bot.objects.select_related("owner").filter(pk=int(pk)).first()
    if bot is None:
        raise NotFound(f"There is no bot {pk}.")
    return bot


def _game(request: Request) -> str:
    """Return the game that the query names, or an empty text; refuse an unknown game."""
    game = str(request.query_params.get("game", ""))
    if game and game not in GAMES:
        raise InvalidInput(f"There is {unknown_game(game)}.", code="unknown_game", field="game")
    return game


def _selected(request: Request) -> PairFilter:
    return PairFilter(
        game=_game(request),
        own_version=_number(request, "version"),
        other_version=_number(request, "other_version"),
        lane=_number(request, "tournament"),
    )


def _number(request: Request, name: str) -> int | None:
    text = request.query_params.get(name)
    if text is None:
        return None
    number = read_id(text)
    if not number:
        raise InvalidInput(f"{name} is a whole number from 1.", code="invalid", field=name)
    return number
