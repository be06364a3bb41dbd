from http import HTTPStatus
from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import ViewSet

from api.protocol.endpoint import CountedView
from api.protocol.pagination import OnePage
from api.protocol.requests import check_parameters
from pentathlon.core.caching import FOR_ALL
from pentathlon.core.errors import InvalidInput, NotFound
from pentathlon.insight.explorer.exploration import LONGEST_LINE, explore
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
        help_text="Values that tournaments do not offer yet.",
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
        source="info.hidden", help_text="Whether some information is hidden from some seats."
    )
    chance = serializers.BooleanField(
        source="info.chance", help_text="Whether there are dice, draws or shuffles."
    )
    longest = serializers.IntegerField(
        source="info.longest", help_text="The maximum number of events in a match."
    )
    options = OptionSerializer(source="info.options", many=True)


class NextPositionSerializer(serializers.Serializer[Any]):
    """A possible next event, and the statistics of the position after it."""

    text = serializers.CharField()
    words = serializers.CharField(help_text="The event in words.")
    also = serializers.ListField(
        child=serializers.CharField(),
        help_text="Other events that lead to the same position, turned or mirrored.",
    )
    matches = serializers.IntegerField(source="reached.matches")
    points = serializers.ListField(child=serializers.FloatField(), source="reached.shares")


class ExplorationSerializer(serializers.Serializer[Any]):
    """A position in the first plies of public matches."""

    ply = serializers.IntegerField()
    line = serializers.ListField(child=serializers.CharField())
    words = serializers.ListField(
        child=serializers.CharField(), help_text="The events of the line in words."
    )
    counted = serializers.IntegerField(help_text="The number of public matches of the game.")
    matches = serializers.IntegerField(
        source="reached.matches",
        help_text="How many matches reached the position, in any move order.",
    )
    points = serializers.ListField(
        child=serializers.FloatField(),
        source="reached.shares",
        help_text="Each seat's share of the points in those matches; empty if unknown.",
    )
    next = NextPositionSerializer(
        many=True, source="nexts", help_text="At most 60, most frequent first."
    )


_MOST_DIGITS = 3
_PARAMETERS = {"explorer": ("line", "seats")}


class GameViewSet(CountedView, ViewSet):
    """The games of this platform."""

    lookup_field = "key"
    lookup_value_regex = "[a-z_]{1,30}"
    pagination_class = OnePage

    def initial(self, request: Request, *args: object, **kwargs: object) -> None:
        """Refuse all parameters."""
        super().initial(request, *args, **kwargs)
        check_parameters(request.query_params, known=_PARAMETERS.get(self.action or "", ()))

    def finalize_response(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Mark answers as the same for everybody."""
        response = super().finalize_response(request, *args, **kwargs)
        if response.status_code == HTTPStatus.OK:
            response.headers["Cache-Control"] = FOR_ALL
        return response

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

    @extend_schema(
        parameters=[
            OpenApiParameter(
                "line",
                {"type": "string", "maxLength": LONGEST_LINE},
                description="Events from the start of a match, separated by semicolons.",
            ),
            OpenApiParameter(
                "seats", int, description="The number of seats; by default the game's usual one."
            ),
        ],
        responses=ExplorationSerializer,
    )
    @action(detail=True)
    def explorer(self, request: Request, key: str) -> Response:
        """Return how often public matches reached a position, and who won them.

        Only games without hidden parts have an explorer. Positions that differ only by rotation
        or reflection of the board count as one.
        """
        if key not in GAMES:
            raise NotFound(f"There is {unknown_game(key)}.")
        if GAMES[key].info.hidden:
            raise NotFound(f"{GAMES[key].info.title} has hidden parts, so it has no explorer.")
        given = request.query_params.get("line", "")
        if len(given) > LONGEST_LINE:
            raise InvalidInput(
                f"line has at most {LONGEST_LINE} characters.", code="bad_line", field="line"
            )
        found = explore(
            GAMES[key],
            [text for text in given.split(";") if text],
            seats=_seats(request.query_params.get("seats")),
        )
        return Response(ExplorationSerializer(found).data)


def _seats(given: str | None) -> int | None:
    if given is None:
        return None
    if not (given.isascii() and given.isdigit() and len(given) <= _MOST_DIGITS):
        raise InvalidInput("seats is a whole number.", code="bad_seats", field="seats")
    return int(given)
