from typing import Any

from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from api.endpoint import Endpoint
from api.rivalry import (
    GAME_PARAMETER,
    OpponentBotSerializer,
    RivalScoreSerializer,
    TimeUseSerializer,
    get_bot,
    read_game,
)
from pentathlon.bots.models import Bot
from pentathlon.rivalry.cpu_use import time_use_of_bot
from pentathlon.rivalry.models import OpponentSum
from pentathlon.rivalry.reading import (
    BestWin,
    Rivals,
    games_of,
    length_lines,
    rivals_of,
    seat_lines,
)


class RivalSerializer(serializers.Serializer[Any]):  # Any: a line of opponents
    """An opponent that matters, with the score against it."""

    opponent = OpponentBotSerializer(source="row.other")
    score = RivalScoreSerializer()


class BestWinSerializer(serializers.Serializer[BestWin]):
    """A win against an opponent who was rated high right before the match."""

    match = serializers.IntegerField(source="meeting.match_id")
    ended_on = serializers.DateField(source="meeting.ended_on", help_text="In UTC.")
    opponent = serializers.SerializerMethodField()
    version = serializers.SerializerMethodField(help_text="Of the opponent.")
    rating = serializers.FloatField(source="score", help_text="Of the opponent, right before.")

    @extend_schema_field(OpponentBotSerializer)
    def get_opponent(self, win: BestWin) -> Any:  # Any: what a serializer made
        """Return who was beaten."""
        return OpponentBotSerializer(win.loser.bot).data

    def get_version(self, win: BestWin) -> int:
        """Return which version of it was beaten."""
        return win.loser.pk


class SeatScoreSerializer(serializers.Serializer[Any]):  # Any: one, or many
    """How a bot did in one seat."""

    seats = serializers.IntegerField(help_text="At the table.")
    seat = serializers.IntegerField()
    score = RivalScoreSerializer()


class LengthScoreSerializer(serializers.Serializer[Any]):  # Any: one, or many
    """How a bot did in matches of one length."""

    low = serializers.IntegerField(help_text="Plies.")
    high = serializers.IntegerField()
    score = RivalScoreSerializer()


class RivalsSerializer(serializers.Serializer[Any]):  # Any: gathered facts
    """Whom a bot meets in a game, in short."""

    game = serializers.CharField(
        allow_null=True,
        help_text="Without `game` the one with most meetings; null: it met nobody.",
    )
    games = serializers.ListField(
        child=serializers.CharField(), help_text="All in which it has met others."
    )
    most_met = RivalSerializer(many=True)
    nemesis = RivalSerializer(
        allow_null=True,
        help_text="Most standard errors below expectation, at least one, in ten rated meetings.",
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
    query_parameters = {"rivals": ("game",)}

    @extend_schema(
        operation_id="bots_rivals",
        parameters=[GAME_PARAMETER],
        responses=RivalsSerializer,
        filters=False,
    )
    def rivals(self, request: Request, pk: str) -> Response:
        """Show a bot's rivals in a game: most met, nemesis, best wins; by seat and by length."""
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
