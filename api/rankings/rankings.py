from typing import Any

from django.http.response import HttpResponseBase
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from api.accounts.people import PersonSerializer
from api.protocol.endpoint import Endpoint
from api.protocol.pagination import PAGE_PARAMETERS, PAGES_TOLD, InPlaces, OnePage
from pentathlon.accounts.models import names_version
from pentathlon.core.caching import FOR_ALL, answer_if_changed, tag_of
from pentathlon.core.errors import NotFound
from pentathlon.ratings.rankings.models import RankingLine, RankingTable
from pentathlon.ratings.rankings.services import latest_table

_PENTATHLON = "pentathlon"


class RankingSerializer(serializers.ModelSerializer[RankingTable]):
    """A ranking of authors in short."""

    key = serializers.SerializerMethodField()
    authors = serializers.IntegerField(help_text="The number of ranked authors.")

    class Meta:
        model = RankingTable
        fields = ("key", "rule", "authors", "computed_at")
        read_only_fields = fields

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


class RankingLineSerializer(serializers.ModelSerializer[RankingLine]):
    """One author's line."""

    author = PersonSerializer()
    rank = serializers.IntegerField(help_text="Starts at 1; equal authors share a rank.")
    share = serializers.FloatField(help_text="The mean over all games.")
    games = serializers.DictField(child=GameShareSerializer(), help_text="By game.")

    class Meta:
        model = RankingLine
        fields = ("rank", "author", "share", "games")
        read_only_fields = fields


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
