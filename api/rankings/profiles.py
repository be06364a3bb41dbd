from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from api.protocol.endpoint import Endpoint
from api.protocol.pagination import OnePage
from api.rankings.rivalry import RivalScoreSerializer
from pentathlon.accounts.models import User
from pentathlon.accounts.services import find_person
from pentathlon.bots.models import Bot
from pentathlon.core.errors import NotFound
from pentathlon.insight.rivalry.opponents import RivalAuthor, rival_authors
from pentathlon.ratings.rankings.history import former_places
from pentathlon.ratings.rankings.models import RankingLine
from pentathlon.ratings.rankings.services import latest_table
from pentathlon.tournaments.results.final_table import titles_of

_MOST_TITLES = 100


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
