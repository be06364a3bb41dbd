from typing import Any

from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from api.protocol.endpoint import Endpoint
from api.rankings.rivalry import (
    GAME_PARAMETER,
    OpponentBotSerializer,
    RivalScoreSerializer,
    TimeUseSerializer,
    get_bot,
    read_game,
)
from pentathlon.bots.models import Bot
from pentathlon.insight.rivalry.cpu_use import time_use_of_bot
from pentathlon.insight.rivalry.models import OpponentSum
from pentathlon.insight.rivalry.opponents import (
    BestWin,
    Rivals,
    games_of,
    length_lines,
    rivals_of,
    seat_lines,
)


class RivalSerializer(serializers.Serializer[Any]):  # Any: a line of opponents
    """A notable opponent, with the score against it."""

    opponent = OpponentBotSerializer(source="row.other")
    score = RivalScoreSerializer()


class BestWinSerializer(serializers.Serializer[BestWin]):
    """A win against an opponent who was rated highly just before the match."""

    match = serializers.IntegerField(source="meeting.match_id")
    ended_on = serializers.DateField(source="meeting.ended_on", help_text="In UTC.")
    opponent = serializers.SerializerMethodField()
    version = serializers.SerializerMethodField(help_text="The opponent's version.")
    rating = serializers.FloatField(
        source="score", help_text="The opponent's rating just before the match."
    )

    @extend_schema_field(OpponentBotSerializer)
    def get_opponent(self, win: BestWin) -> Any:  # Any: what a serializer made
        """Return the bot that was beaten."""
        return OpponentBotSerializer(win.loser.bot).data

    def get_version(self, win: BestWin) -> int:
        """Return the version that was beaten."""
        return win.loser.pk


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
    """A summary of a bot's opponents in a game."""

    game = serializers.CharField(
        allow_null=True,
        help_text="The game; by default the one with most meetings. null if the bot has met no "
        "one.",
    )
    games = serializers.ListField(
        child=serializers.CharField(), help_text="All games in which it has met other bots."
    )
    most_met = RivalSerializer(many=True)
    nemesis = RivalSerializer(
        allow_null=True,
        help_text="The opponent most standard errors below expectation: one or more, in ten "
        "rated meetings.",
    )
    favourite = RivalSerializer(allow_null=True, help_text="The same above expectation.")
    best_wins = BestWinSerializer(many=True)
    seats = SeatScoreSerializer(many=True)
    lengths = LengthScoreSerializer(many=True)
    time_use = TimeUseSerializer(allow_null=True)


class RivalViewSet(Endpoint[OpponentSum]):
    """The rivals of a bot."""

    queryset = OpponentSum.objects.none()
    serializer_class = RivalsSerializer
    filter_backends = ()
    pagination_class = None
    shared_actions = ("rivals",)
    query_parameters = {"rivals": ("game",)}

    @extend_schema(
        operation_id="bots_rivals",
        parameters=[GAME_PARAMETER],
        responses=RivalsSerializer,
        filters=False,
    )
    def rivals(self, request: Request, pk: str) -> Response:
        """Show a bot's rivals in a game: most frequent, nemesis, best wins; by seat and length."""
        bot, game = get_bot(pk), read_game(request)
        return Response(RivalsSerializer(_rivals(bot, game)).data)


def _rivals(bot: Bot, game: str) -> dict[str, object]:
    found = rivals_of(bot.pk, game)
    if found is None:
        found = Rivals(
            game=game,
            games=games_of(bot.pk),
            most_met=[],
            nemesis=None,
            favourite=None,
            best_wins=[],
        )
    return {
        "game": found.game or None,
        "games": found.games,
        "most_met": found.most_met,
        "nemesis": found.nemesis,
        "favourite": found.favourite,
        "best_wins": found.best_wins,
        "seats": seat_lines(bot.pk, found.game),
        "lengths": length_lines(bot.pk, found.game),
        "time_use": time_use_of_bot(bot.pk, found.game),
    }
