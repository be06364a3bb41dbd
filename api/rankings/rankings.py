from typing import Any

from django.http.response import HttpResponseBase
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from api.accounts.people import PersonSerializer
from api.protocol.endpoint import Endpoint, RowSerializer
from api.protocol.pagination import PAGE_PARAMETERS, PAGES_TOLD, InPlaces, OnePage
from api.rankings.rivalry import RivalScoreSerializer
from pentathlon.accounts.models import User, names_version
from pentathlon.accounts.services import find_person
from pentathlon.bots.models import Bot
from pentathlon.core.caching import FOR_ALL, answer_if_changed, tag_of
from pentathlon.core.errors import NotFound
from pentathlon.insight.rivalry.opponents import RivalAuthor, rival_authors
from pentathlon.ratings.rankings.models import RankingLine, RankingTable
from pentathlon.ratings.rankings.services import former_places, latest_table
from pentathlon.tournaments.results.final_table import titles_of

_PENTATHLON = "pentathlon"
_MOST_TITLES = 100


class RankingSerializer(RowSerializer[RankingTable]):
    """A ranking of authors in short."""

    key = serializers.SerializerMethodField()
    authors = serializers.IntegerField(help_text="The number of ranked authors.")

    class Meta:
        model = RankingTable
        fields = ("key", "rule", "authors", "computed_at")

    def get_key(self, table: RankingTable) -> str:
        """Return the name used in URLs."""
        return _PENTATHLON


class GameShareSerializer(serializers.Serializer[Any]):  # Any: JSON
    """An author's result in one game."""

    share = serializers.FloatField(help_text="Expected points against every other author.")
    version = serializers.IntegerField(
        allow_null=True, help_text="Id of the best settled version; null counts as `random`."
    )
    bot = serializers.IntegerField(allow_null=True)
    label = serializers.CharField(allow_null=True)  # type: ignore[assignment]  # a field


class RankingLineSerializer(RowSerializer[RankingLine]):
    """One author's line."""

    author = PersonSerializer()
    rank = serializers.IntegerField(help_text="Starts at 1; equal authors share a rank.")
    share = serializers.FloatField(help_text="The mean over all games.")
    games = serializers.DictField(child=GameShareSerializer(), help_text="By game.")

    class Meta:
        model = RankingLine
        fields = ("rank", "author", "share", "games")


class RankingViewSet(Endpoint[RankingTable]):
    """Rankings of authors over all games."""

    queryset = RankingTable.objects.published()
    serializer_class = RankingSerializer
    filter_backends = ()
    lookup_field = "key"
    lookup_value_regex = "[a-z]{1,30}"
    pagination_class = OnePage
    shared_actions = ("list",)
    query_parameters = {"retrieve": (*PAGE_PARAMETERS, "author")}

    @extend_schema(responses=RankingSerializer(many=True))
    def list(self, request: Request) -> Response:
        """List all rankings."""
        table = latest_table()
        page = self.paginate_queryset([] if table is None else [table])
        return self.get_paginated_response(RankingSerializer(page, many=True).data)

    @extend_schema(
        operation_id="rankings_table",
        parameters=[
            OpenApiParameter(
                "author", str, description="A user name: return only this author's line."
            ),
            *PAGES_TOLD,
        ],
        responses=RankingLineSerializer(many=True),
    )
    def retrieve(self, request: Request, key: str) -> HttpResponseBase:
        """Return the ranking of authors over all games, best first."""
        if key != _PENTATHLON:
            raise NotFound(f"There is no ranking {key!r}; the only one is {_PENTATHLON!r}.")
        table = latest_table()
        return answer_if_changed(
            request._request,
            tag=tag_of(key, table and table.pk, names_version(), request.META["QUERY_STRING"]),
            make=lambda: self._page(request, table),
            keep=FOR_ALL,
        )

    def _page(self, request: Request, table: RankingTable | None) -> Response:
        # A join would read all people as long as PostgreSQL has no statistics of a new table.
        lines = RankingLine.objects.filter(table=table).prefetch_related("author")
        author = request.query_params.get("author")
        if author is not None:
            lines = lines.filter(author__username__iexact=author.replace("\0", ""))
        pages = InPlaces()
        rows: Any = pages.paginate_queryset(lines, request, self)  # Any: a page of lines
        return pages.get_paginated_response(RankingLineSerializer(rows, many=True).data)


class RankingPlaceSerializer(serializers.Serializer[Any]):  # Any: a line of today, or of a day
    """A place in the ranking of authors."""

    rank = serializers.IntegerField()
    share = serializers.FloatField()


class FormerPlaceSerializer(RankingPlaceSerializer):
    """A place in the ranking of a day."""

    day = serializers.DateField(source="day_id")


class TitleSerializer(serializers.Serializer[Any]):  # Any: one, or many
    """One of the first three places of a closed tournament."""

    tournament = serializers.IntegerField(source="entry.tournament_id")
    name = serializers.CharField(source="entry.tournament.name")
    game = serializers.CharField(source="entry.tournament.game")
    bot = serializers.CharField(source="entry.version.label")
    place = serializers.IntegerField()


class ProfileSerializer(serializers.Serializer[Any]):  # Any: gathered facts
    """An author: bots, place in the ranking, and titles."""

    id = serializers.IntegerField()
    username = serializers.CharField()
    bots = serializers.IntegerField(help_text="`/bots/?owner=` lists them.")
    ranking = RankingPlaceSerializer(allow_null=True, help_text="null if there is no rating.")
    former_places = FormerPlaceSerializer(
        many=True, help_text="One for each day of the last year, oldest first."
    )
    titles = TitleSerializer(many=True, help_text="Latest first.")


class RivalAuthorSerializer(serializers.Serializer[RivalAuthor]):
    """An author whose bots played this author's bots."""

    username = serializers.CharField()
    score = RivalScoreSerializer(
        help_text="The score of all bots of one author against all of the other."
    )


class ProfileViewSet(Endpoint[User]):
    """People, as everybody sees them."""

    noun = "person"
    queryset = User.objects.none()
    serializer_class = ProfileSerializer
    filter_backends = ()
    lookup_field = "username"
    lookup_value_regex = "[^/]{1,150}"
    shared_actions = ("retrieve", "rivals")

    @extend_schema(responses=ProfileSerializer)
    def retrieve(self, request: Request, username: str) -> Response:
        """Show an author's achievements."""
        author = _author(username)
        told = {
            "id": author.pk,
            "username": author.username,
            "bots": Bot.objects.owned_by(author).count(),
            "ranking": RankingLine.objects.filter(table=latest_table(), author=author).first(),
            "former_places": former_places(author),
            "titles": titles_of(author)[:_MOST_TITLES],
        }
        return Response(ProfileSerializer(told).data)

    @extend_schema(responses=RivalAuthorSerializer(many=True), filters=False)
    @action(detail=True, pagination_class=OnePage)
    def rivals(self, request: Request, username: str) -> Response:
        """List the authors whose bots this author's bots met most often, with the scores."""
        page: Any = self.paginate_queryset(rival_authors(_author(username).pk))
        return self.get_paginated_response(RivalAuthorSerializer(page, many=True).data)


def _author(username: str) -> User:
    author = find_person(username)
    if author is None:
        raise NotFound(f"There is no user called {username[:60]!r}.")
    return author
