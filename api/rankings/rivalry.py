from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from api.accounts.people import PersonSerializer
from api.protocol.endpoint import LARGEST_ID, Endpoint, read_id
from api.protocol.pagination import PAGE_PARAMETERS, PAGES_TOLD, CursorPages
from pentathlon.bots.models import Bot
from pentathlon.core.errors import InvalidInput, NotFound
from pentathlon.insight.rivalry.cpu_use import TimeUse
from pentathlon.insight.rivalry.expectations import MILLION
from pentathlon.insight.rivalry.head_to_head import (
    HeadToHead,
    PairFilter,
    meetings,
    read_head_to_head,
)
from pentathlon.insight.rivalry.models import Meeting, OpponentSum
from pentathlon.insight.rivalry.opponents import opponents_of, score_of
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


class MostMetFirst(CursorPages):
    """Pages of opponents."""

    ordering = ("-counted", "id")


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


class OpponentBotSerializer(serializers.ModelSerializer[Bot]):
    """A bot in short."""

    owner = PersonSerializer()

    class Meta:
        model = Bot
        fields = ("id", "name", "owner")
        read_only_fields = fields


class OpponentSerializer(serializers.ModelSerializer[OpponentSum]):
    """One opponent of a bot in a game."""

    opponent = OpponentBotSerializer(source="other")
    score = serializers.SerializerMethodField()

    class Meta:
        model = OpponentSum
        fields = ("opponent", "game", "score")
        read_only_fields = fields

    @extend_schema_field(RivalScoreSerializer)
    def get_score(self, row: OpponentSum) -> Any:  # Any: what a serializer made
        """Return the score of the bot against this opponent."""
        return RivalScoreSerializer(score_of(row)).data


class TimeUseSerializer(serializers.Serializer[TimeUse]):
    """The CPU time of a bot in its latest matches against the other one."""

    matches = serializers.IntegerField()
    action_ms = serializers.FloatField(help_text="Milliseconds per action in the median match.")
    most_action_ms = serializers.FloatField(
        help_text="Milliseconds per action in the slowest match."
    )
    limit_share = serializers.FloatField(
        help_text="The share of the match limit used in the median match."
    )
    most_limit_share = serializers.FloatField()


class PlaceScoreSerializer(serializers.Serializer[Any]):  # Any: JSON
    """The score in one seat."""

    game = serializers.CharField()
    seats = serializers.IntegerField(help_text="The number of seats at the table.")
    seat = serializers.IntegerField()
    score = RivalScoreSerializer()


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
    """The most wins in a row, among the latest 1,000 meetings."""

    length = serializers.IntegerField()
    since = serializers.IntegerField(help_text="Id of the first of these matches.")


class HeadToHeadSerializer(serializers.Serializer[Any]):  # Any: JSON
    """Two bots against each other, from the first one's point of view."""

    bot = OpponentBotSerializer()
    other = OpponentBotSerializer()
    score = RivalScoreSerializer()
    both_failed = serializers.IntegerField()
    seats = PlaceScoreSerializer(many=True)
    lineups = LineupScoreSerializer(many=True)
    competitions = CompetitionScoreSerializer(many=True)
    streak = StreakSerializer(allow_null=True)
    other_streak = StreakSerializer(allow_null=True)
    time_use = TimeUseSerializer(allow_null=True)
    other_time_use = TimeUseSerializer(allow_null=True)


class MeetingSerializer(serializers.Serializer[Meeting]):
    """One match between two bots, from the first one's point of view."""

    match = serializers.IntegerField(source="match_id")
    game = serializers.CharField()
    kind = serializers.CharField()
    ended_on = serializers.DateField(help_text="In UTC.")
    plies = serializers.IntegerField()
    version = serializers.SerializerMethodField()
    other_version = serializers.SerializerMethodField()
    points = serializers.SerializerMethodField()
    expected = serializers.SerializerMethodField()
    repeat = serializers.BooleanField(
        source="is_repeat", help_text="Whether it repeats an earlier match move by move."
    )

    def get_version(self, meeting: Meeting) -> int:
        """Return the version of the first bot."""
        return meeting.second_id if self._is_turned else meeting.first_id

    def get_other_version(self, meeting: Meeting) -> int:
        """Return the version of the other bot."""
        return meeting.first_id if self._is_turned else meeting.second_id

    def get_points(self, meeting: Meeting) -> float:
        """Return the first bot's points: 0, ½ or 1."""
        own, theirs = meeting.first_half_points, meeting.second_half_points
        return (theirs if self._is_turned else own) / 2

    def get_expected(self, meeting: Meeting) -> float | None:
        """Return the first bot's expected share of the points, by the ratings."""
        if meeting.expected is None:
            return None
        share = meeting.expected / MILLION
        return 1 - share if self._is_turned else share

    @property
    def _is_turned(self) -> bool:
        return bool(self.context["is_turned"])


class OpponentViewSet(Endpoint[OpponentSum]):
    """The opponents of a bot."""

    queryset = OpponentSum.objects.none()
    serializer_class = OpponentSerializer
    filter_backends = ()
    pagination_class = MostMetFirst
    shared_actions = ("opponents",)
    query_parameters = {"opponents": ("game", *PAGE_PARAMETERS)}

    @extend_schema(
        operation_id="bots_opponents",
        parameters=[GAME_PARAMETER, *PAGES_TOLD],
        responses=OpponentSerializer(many=True),
    )
    def opponents(self, request: Request, pk: str) -> Response:
        """List a bot's opponents with actual and expected scores, most frequent first."""
        bot, game = get_bot(pk), read_game(request)
        rows = OpponentSum.objects.filter(bot=bot, counted__gt=0).select_related("other__owner")
        rows = opponents_of(bot.pk, game) if game else rows
        page = self.paginate_queryset(rows)
        return self.get_paginated_response(OpponentSerializer(page, many=True).data)


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
        found = read_head_to_head(get_bot(pk), get_bot(other), _wanted(request))
        return Response(HeadToHeadSerializer(_facts(found)).data)

    @extend_schema(
        operation_id="bots_meetings",
        parameters=[*_PARAMETERS, *PAGES_TOLD],
        responses=MeetingSerializer(many=True),
    )
    def meetings(self, request: Request, pk: str, other: str) -> Response:
        """List the public matches between two bots, latest first."""
        bot, opponent = get_bot(pk), get_bot(other)
        found = meetings(bot, opponent, _wanted(request))
        page: Any = self.paginate_queryset(found)  # Any: a page of meetings
        context = {"is_turned": bot.pk > opponent.pk}
        rows = MeetingSerializer(page, many=True, context=context)
        return self.get_paginated_response(rows.data)


def _facts(found: HeadToHead) -> dict[str, object]:
    return {
        "bot": found.bot,
        "other": found.other,
        "score": found.score,
        "both_failed": found.both_failed,
        "seats": [{**place._asdict(), "score": score} for place, score in found.places.items()],
        "lineups": [
            {"version": own, "other_version": other, "score": score}
            for (own, other), score in found.lineups.items()
        ],
        "competitions": [
            {
                "kind": line.kind.value,
                "tournament": line.tournament.pk if line.tournament else None,
                "name": line.tournament.name if line.tournament else None,
                "score": line.score,
            }
            for line in found.competitions
        ],
        "streak": found.streaks[0],
        "other_streak": found.streaks[1],
        "time_use": found.time_use[0],
        "other_time_use": found.time_use[1],
    }


def get_bot(pk: str) -> Bot:
    """Return a bot with its owner; refuse an unknown id."""
    found = Bot.objects.select_related("owner").filter(pk=int(pk)).first()
    if found is None:
        raise NotFound(f"There is no bot {pk}.")
    return found


def read_game(request: Request) -> str:
    """Return the game that the query names, or an empty text; refuse an unknown game."""
    game = str(request.query_params.get("game", ""))
    if game and game not in GAMES:
        raise InvalidInput(f"There is {unknown_game(game)}.", code="unknown_game", field="game")
    return game


def _wanted(request: Request) -> PairFilter:
    return PairFilter(
        game=read_game(request),
        own_version=_number(request, "version"),
        other_version=_number(request, "other_version"),
        lane=_number(request, "tournament"),
    )


def _number(request: Request, name: str) -> int | None:
    text = request.query_params.get(name)
    if text is None:
        return None
    found = read_id(text)
    if not found:
        raise InvalidInput(f"{name} is a whole number from 1.", code="invalid", field=name)
    return found
