from collections.abc import Callable, Sequence
from typing import Any

from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from api.matches.matches import SeatedVersionSerializer
from api.protocol.endpoint import LARGEST_ID, Endpoint, RowSerializer
from api.protocol.pagination import OnePage
from api.protocol.requests import RequestSerializer
from api.tournaments.tables import StandingSerializer
from pentathlon.accounts.models import Scope
from pentathlon.bots.models import Bot
from pentathlon.core.errors import InvalidInput, NotFound
from pentathlon.ladders.membership import join_ladder, leave_ladder, pause_ladder
from pentathlon.ladders.models import Choice, Division, Ladder, LadderMember, SeasonState
from pentathlon.ladders.tables import (
    LadderLine,
    LadderRow,
    answer_division,
    ladder_lines,
    ladder_table,
    seasons_of,
)

_MOST_DIVISIONS = 9999
_DIVISION = OpenApiParameter(
    "division",
    {"type": "integer", "minimum": 1, "maximum": _MOST_DIVISIONS, "default": 1},
    description="1 is the highest.",
)
_NUMBER = OpenApiParameter(
    "number",
    {"type": "integer", "minimum": 1, "maximum": 999_999},
    OpenApiParameter.PATH,
    description="The number of the season, from 1.",
)
Choose = Callable[..., LadderMember]


class DivisionSerializer(RowSerializer[Division]):
    """One table of a season."""

    tournament = serializers.IntegerField(
        source="tournament_id",
        help_text="The tournament that holds its table, matches, document and seeds.",
    )
    bots = serializers.IntegerField(help_text="Only bots of authors, not reference bots.")
    matches = serializers.IntegerField(source="done", help_text="Played so far.")
    commitment = serializers.CharField(
        source="tournament.commitment", help_text="SHA-256 of the secret behind all seeds."
    )

    class Meta:
        model = Division
        fields = ("level", "tournament", "bots", "matches", "is_settled", "commitment")


class LadderSeasonSerializer(serializers.Serializer[LadderLine]):
    """A season of a ladder."""

    number = serializers.IntegerField(source="season.number")
    state = serializers.ChoiceField(source="season.state", choices=SeasonState.choices)
    opened_at = serializers.DateTimeField(source="season.opened_at")
    closes_at = serializers.DateTimeField(source="season.closes_at")
    closed_at = serializers.DateTimeField(source="season.closed_at", allow_null=True)
    bots = serializers.IntegerField(help_text="Only bots of authors, not reference bots.")
    matches = serializers.IntegerField(help_text="Played so far.")
    divisions = DivisionSerializer(many=True)


class LadderSerializer(serializers.Serializer[Any]):  # Any: one, or many
    """A ladder with its running season."""

    key = serializers.CharField(source="ladder.key")
    title = serializers.CharField(source="ladder.title")
    game = serializers.CharField(source="ladder.game")
    table_seats = serializers.IntegerField(source="ladder.table_seats")
    options = serializers.DictField(source="ladder.options")
    takes_all = serializers.BooleanField(
        source="ladder.takes_all",
        help_text="Whether bots join automatically; otherwise only through `join`.",
    )
    season = LadderSeasonSerializer(source="*")


class LadderRowSerializer(serializers.Serializer[LadderRow]):
    """One line of a division's table."""

    rank = serializers.IntegerField(
        allow_null=True,
        help_text="The place among authors' bots, shared by equal ones; null for reference bots, "
        "bots that left and bots that have not played yet.",
    )
    reference = serializers.BooleanField(source="is_reference")
    standing = StandingSerializer()


class LadderBotSerializer(RequestSerializer):
    """The bot that this request is about."""

    bot = serializers.IntegerField(
        min_value=1, max_value=LARGEST_ID, help_text="Id of one of your bots."
    )


class LadderMemberSerializer(RowSerializer[LadderMember]):
    """A bot's setting in a ladder, and the version that plays."""

    ladder = serializers.CharField(source="ladder.key")
    bot = serializers.IntegerField(source="bot_id")
    choice = serializers.ChoiceField(choices=Choice.choices)
    version = SeatedVersionSerializer(allow_null=True)

    class Meta:
        model = LadderMember
        fields = ("ladder", "bot", "choice", "version")


class LadderViewSet(Endpoint[Ladder]):
    """Ladders: bots play there automatically, season after season.

    One POST sets an author's choice. `{"bot": 12}` to `/api/v1/ladders/tuned/pause/` keeps the
    place of bot 12 but gives it no new matches, to `leave/` removes it, to `join/` enters it.
    """

    noun = "ladder"
    queryset = Ladder.objects.all()
    serializer_class = LadderSerializer
    filter_backends = ()
    lookup_field = "key"
    lookup_value_regex = "[a-z0-9_-]{1,40}"
    pagination_class = OnePage
    write_scope = Scope.BOTS_WRITE
    shared_actions = ("list", "retrieve", "seasons", "standings", "season_standings")
    query_parameters = dict.fromkeys(
        ("standings", "season_standings", "season_csv"), ("division",)
    )

    @extend_schema(responses=LadderSerializer(many=True))
    def list(self, request: Request) -> Response:
        """List all ladders with their running seasons."""
        page: Any = self.paginate_queryset(ladder_lines())
        return self.get_paginated_response(LadderSerializer(page, many=True).data)

    @extend_schema(responses=LadderSerializer)
    def retrieve(self, request: Request, key: str) -> Response:
        """Describe a ladder and its running season."""
        return Response(LadderSerializer(self._seasons()[0]).data)

    @extend_schema(responses=LadderSeasonSerializer(many=True))
    @action(detail=True)
    def seasons(self, request: Request, key: str) -> Response:
        """List the seasons of a ladder, latest first."""
        page: Any = self.paginate_queryset(self._seasons())
        return self.get_paginated_response(LadderSeasonSerializer(page, many=True).data)

    @extend_schema(parameters=[_DIVISION], responses=LadderRowSerializer(many=True))
    @action(detail=True)
    def standings(self, request: Request, key: str) -> Response:
        """Return the table of a division of the running season, best first."""
        return self._table(self._seasons()[0])

    @extend_schema(
        operation_id="ladders_season_standings",
        parameters=[_DIVISION, _NUMBER],
        responses=LadderRowSerializer(many=True),
    )
    @action(detail=True, url_path=r"seasons/(?P<number>\d{1,6})/standings")
    def season_standings(self, request: Request, key: str, number: str) -> Response:
        """Return the table of a division of any season, best first. It is final once closed."""
        return self._table(self._season(number))

    @extend_schema(
        operation_id="ladders_season_standings_csv",
        parameters=[_DIVISION, _NUMBER],
        responses={(200, "text/csv"): OpenApiTypes.STR},
    )
    def season_csv(self, request: Request, key: str, number: str) -> HttpResponseBase:
        """Return the table of a division of any season as CSV, best first."""
        line = self._season(number)
        return answer_division(request._request, line.season, self._division(line))

    @extend_schema(request=LadderBotSerializer, responses=LadderMemberSerializer)
    @action(detail=True, methods=["post"])
    def join(self, request: Request, key: str) -> Response:
        """Enter one of your bots: its newest eligible version plays, and later ones after it."""
        return self._choose(join_ladder)

    @extend_schema(request=LadderBotSerializer, responses=LadderMemberSerializer)
    @action(detail=True, methods=["post"])
    def pause(self, request: Request, key: str) -> Response:
        """Pause one of your bots: it keeps its place but gets no matches until it rejoins."""
        return self._choose(pause_ladder)

    @extend_schema(request=LadderBotSerializer, responses=LadderMemberSerializer)
    @action(detail=True, methods=["post"])
    def leave(self, request: Request, key: str) -> Response:
        """Remove one of your bots from the ladder until it joins again."""
        return self._choose(leave_ladder)

    def _choose(self, choose: Choose) -> Response:
        values = self.checked(LadderBotSerializer)
        pk = values["bot"]
        bot = Bot.objects.select_related("owner").filter(pk=pk).first()
        if bot is None:
            raise NotFound(f"There is no bot {pk}.", field="bot")
        member = choose(actor=self.actor, ladder=self.get_object(), bot=bot)
        return Response(LadderMemberSerializer(member).data)

    def _seasons(self) -> Sequence[LadderLine]:
        return seasons_of(self.get_object())

    def _season(self, number: str) -> LadderLine:
        found = (each for each in self._seasons() if each.season.number == int(number))
        line = next(found, None)
        if line is None:
            raise NotFound(f"There is no season {number} of this ladder.")
        return line

    def _table(self, line: LadderLine) -> Response:
        page: Any = self.paginate_queryset(ladder_table(self._division(line)))
        return self.get_paginated_response(LadderRowSerializer(page, many=True).data)

    def _division(self, line: LadderLine) -> Division:
        level = self._level(self.request)
        found = (each for each in line.divisions if each.level == level)
        division = next(found, None)
        if division is None:
            raise NotFound(f"There is no division {level}.", field="division")
        return division

    def _level(self, request: Request) -> int:
        text = request.query_params.get("division", "1")
        is_number = text.isascii() and text.isdigit() and len(text) <= len(str(_MOST_DIVISIONS))
        if not is_number or not 1 <= int(text) <= _MOST_DIVISIONS:
            raise InvalidInput(
                f"division is a whole number from 1 to {_MOST_DIVISIONS}.", field="division"
            )
        return int(text)
