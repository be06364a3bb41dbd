from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django_filters import rest_framework as filters
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.mixins import ListModelMixin, RetrieveModelMixin
from rest_framework.request import Request

from api.protocol.endpoint import Endpoint, RowSerializer
from api.protocol.negotiation import LINES, stretch_of_lines
from api.protocol.pagination import GameFilter, IdFilter, MomentFilter
from pentathlon.core.caching import answer_for_ever, answer_packed_for_ever
from pentathlon.core.errors import NotFound
from pentathlon.insight.datasets.contents import (
    CURSOR,
    LICENCE,
    find_parquet,
    find_part,
    read_history,
)
from pentathlon.insight.datasets.models import Dataset, DatasetQuerySet
from pentathlon.insight.datasets.services import part_digests
from pentathlon_engines import GAMES
from pentathlon_engines.contract.registry import unknown_game
from pentathlon_engines.dataset.rows import TABLES

_PARQUET = "application/vnd.apache.parquet"
_PLACE = [
    OpenApiParameter("table", str, "path", enum=TABLES),
    OpenApiParameter("number", int, "path", description="Starts at 1."),
]
_YES_NO = [("true", "true"), ("false", "false")]


class DatasetSerializer(RowSerializer[Dataset]):
    """A frozen copy of all decisions in a closed tournament or season division."""

    tournament = serializers.IntegerField(source="tournament_id")
    name = serializers.CharField(source="tournament.name", help_text="The name of the tournament.")
    seats = serializers.IntegerField(source="tournament.table_seats")
    options = serializers.DictField(source="tournament.options", help_text="Options of the game.")
    edition = serializers.IntegerField(
        help_text="Increases when the tournament is changed after its close and closes again."
    )
    newest = serializers.BooleanField(
        source="is_newest", help_text="Whether this is the latest edition of its tournament."
    )
    parts = serializers.IntegerField(help_text="The number of parts of each table.")
    left_out = serializers.IntegerField(help_text="Matches whose records could not be read.")
    packed_bytes = serializers.IntegerField(help_text="The gzipped size of all parts.")
    parquet_bytes = serializers.IntegerField(
        allow_null=True,
        help_text="The size of all parts as Parquet; null if the site did not make it.",
    )
    sha256 = serializers.CharField(
        help_text="The hash of `SHA256SUMS`, which lists the hash of each part in each format."
    )
    licence = serializers.SerializerMethodField()

    class Meta:
        model = Dataset
        fields = (
            "id",
            "game",
            "tournament",
            "name",
            "edition",
            "newest",
            "schema_version",
            "rules_version",
            "seats",
            "options",
            "matches",
            "decisions",
            "left_out",
            "parts",
            "packed_bytes",
            "parquet_bytes",
            "sha256",
            "licence",
            "made_at",
        )

    def get_licence(self, dataset: Dataset) -> str:
        """Return the SPDX identifier of the licence, which the card explains."""
        return LICENCE


class DatasetFilter(filters.FilterSet):
    """Narrow datasets down."""

    game = GameFilter()
    tournament = IdFilter()
    since = MomentFilter(field_name="made_at", lookup_expr="gte", help_text="Made then or later.")
    until = MomentFilter(field_name="made_at", lookup_expr="lt", help_text="Made before then.")
    newest = filters.ChoiceFilter(choices=_YES_NO, method="that_are_newest")

    def that_are_newest(self, datasets: DatasetQuerySet, name: str, value: str) -> DatasetQuerySet:
        """Keep the newest editions, or the others."""
        return datasets.filter(is_newest=value == "true")


class DatasetViewSet(ListModelMixin, RetrieveModelMixin, Endpoint[Dataset]):
    """Datasets of bot decisions for training. They never change; see `/datasets/card/`.

    `pentathlon dataset GAME` downloads them, checks their hashes and resumes where it stopped.
    """

    noun = "dataset"
    queryset = Dataset.objects.none()
    serializer_class = DatasetSerializer
    filterset_class = DatasetFilter
    query_parameters = {"history": ("after",)}
    shared_actions = ("list", "retrieve")

    def get_queryset(self) -> DatasetQuerySet:
        """Return the datasets that are complete and public."""
        return Dataset.objects.listed()

    @extend_schema(responses={(200, "text/plain"): OpenApiTypes.STR})
    def sums(self, request: Request, pk: str) -> HttpResponseBase:
        """Return the SHA-256 of each part's lines and Parquet, as `sha256sum` reads them."""
        dataset = self.get_object()
        return answer_for_ever(
            request._request,
            dataset.sha256,
            is_private=False,
            make=lambda: HttpResponse(
                part_digests(dataset), content_type="text/plain; charset=utf-8"
            ),
        )

    @extend_schema(parameters=_PLACE, responses={(200, LINES): OpenApiTypes.STR})
    def part(self, request: Request, pk: str, table: str, number: str) -> HttpResponseBase:
        """Return the rows of a part, one JSON object per line, gzipped if the client accepts it.

        `/datasets/card/` explains the rows, `/datasets/schema.json` describes every field. The
        part number is the cursor: continue with the first part that you do not have.
        """
        found = find_part(self.get_object(), table, int(number))
        return answer_packed_for_ever(
            request._request,
            tag=f'"{found.sha256}"',
            content_type=LINES,
            packed=lambda: bytes(found.data),
        )

    @extend_schema(parameters=_PLACE, responses={(200, _PARQUET): OpenApiTypes.BINARY})
    def parquet(self, request: Request, pk: str, table: str, number: str) -> HttpResponseBase:
        """Return the rows of a part as a Parquet file, if the site made it.

        It has the rows of the `.ndjson` of this part. A dataset has Parquet of all of its parts
        or of none: if `parquet_bytes` is null, the answer is the problem `no_parquet`.
        """
        found = find_parquet(self.get_object(), table, int(number))
        disposition = f'attachment; filename="{found.parquet_name}"'
        return answer_for_ever(
            request._request,
            found.parquet_sha256,
            is_private=False,
            make=lambda: HttpResponse(
                bytes(found.parquet or b""),
                content_type=_PARQUET,
                headers={"Content-Disposition": disposition},
            ),
        )

    @extend_schema(
        parameters=[
            OpenApiParameter("game", str, "path", enum=list(GAMES)),
            OpenApiParameter(
                "after",
                {"type": "string", "pattern": f"^{CURSOR}$"},
                description="Continue after this match, the last one you have.",
            ),
        ],
        responses={(200, LINES): OpenApiTypes.STR},
    )
    def history(self, request: Request, game: str) -> HttpResponseBase:
        """Return all matches of a game in closed tournaments and seasons, one JSON object a line.

        One response contains them all, however long it is, from the newest edition of each
        dataset. If it breaks off, or to read new matches later, pass the `match` of the last
        complete line as `after`. `/matches/history/` also has matches that are in no dataset yet.
        """
        if game not in GAMES:
            raise NotFound(f"There is {unknown_game(game)}.")
        found = read_history(game, after=request.query_params.get("after"))
        query = f"after={found.after}" if found.after else ""
        return stretch_of_lines(found.lines, following=query)
