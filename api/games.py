from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import ViewSet

from api.pagination import OnePage
from api.requests import check_parameters
from pentathlon.common.errors import NotFound
from pentathlon_engines import GAMES
from pentathlon_engines.contract.registry import unknown_game


class OptionSerializer(serializers.Serializer[Any]):
    """An option, chosen before a match."""

    name = serializers.CharField()
    kind = serializers.ChoiceField(choices=["flag", "choice", "each_seat", "integer"])
    default = serializers.JSONField()
    choices = serializers.ListField(
        child=serializers.JSONField(),
        help_text="The allowed values; the lowest and the highest of an integer.",
    )
    unofficial = serializers.ListField(
        child=serializers.JSONField(),
        help_text="Those of the values that tournaments do not offer yet.",
    )


class GameSerializer(serializers.Serializer[Any]):
    """The facts about a game."""

    key = serializers.CharField(source="info.key")
    title = serializers.CharField(source="info.title")
    rules_version = serializers.IntegerField(source="info.version")
    seats = serializers.ListField(
        child=serializers.IntegerField(), source="info.seats", help_text="Fewest and most."
    )
    default_seats = serializers.IntegerField(source="info.default_seats")
    hidden = serializers.BooleanField(
        source="info.hidden", help_text="Seats know different things."
    )
    chance = serializers.BooleanField(source="info.chance", help_text="Dice, draws or shuffles.")
    longest = serializers.IntegerField(
        source="info.longest", help_text="The most events that a match can have."
    )
    options = OptionSerializer(source="info.options", many=True)


class GameViewSet(ViewSet):
    """The games of this platform."""

    lookup_field = "key"
    lookup_value_regex = "[a-z_]{1,30}"
    pagination_class = OnePage

    def initial(self, request: Request, *args: object, **kwargs: object) -> None:
        """Refuse parameters: there are none."""
        super().initial(request, *args, **kwargs)
        check_parameters(request.query_params, known=())

    @extend_schema(responses=GameSerializer(many=True))
    def list(self, request: Request) -> Response:
        """List all games."""
        page = OnePage()
        games = page.paginate_queryset(list(GAMES.values()), request, self)
        return page.get_paginated_response(GameSerializer(games, many=True).data)

    @extend_schema(responses=GameSerializer)
    def retrieve(self, request: Request, key: str) -> Response:
        """Describe one game."""
        if key not in GAMES:
            raise NotFound(f"There is {unknown_game(key)}.")
        return Response(GameSerializer(GAMES[key]).data)
