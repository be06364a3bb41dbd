"""The ratings of a bot version, now and match by match."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from api.protocol.endpoint import Endpoint
from api.protocol.pagination import PAGE_PARAMETERS, PAGES_TOLD, CursorPages
from api.rankings.leaderboards import RatingSerializer
from pentathlon.bots.models import BotVersion
from pentathlon.core.errors import InvalidInput
from pentathlon.ratings.models import Pool, Rating, RatingChange
from pentathlon_engines import GAMES
from pentathlon_engines.contract.registry import unknown_game


class LatestChangesFirst(CursorPages):
    """Pages of changes of a rating, in the order of the ledger rows that made them."""

    ordering = ("-row_id", "-seat")


class VersionRatingSerializer(RatingSerializer):
    """A rating of a bot version on one leaderboard."""

    game = serializers.CharField(source="pool.game")
    scope = serializers.CharField(
        source="pool.scope",
        help_text="The digest of the setting; empty for the standard leaderboard.",
    )
    rank = None  # type: ignore[assignment]  # the leaderboard counts it
    version = None  # type: ignore[assignment]  # the one that was asked for

    class Meta(RatingSerializer.Meta):
        fields = (
            *("game", "scope", "mu", "sigma", "score", "strength", "interval", "provisional"),
            *("matches", "wins", "draws", "losses"),
        )
        read_only_fields = fields


class RatingChangeSerializer(serializers.ModelSerializer[RatingChange]):
    """The change of a rating by one match."""

    game = serializers.CharField(source="row.pool.game")
    scope = serializers.CharField(
        source="row.pool.scope",
        help_text="The digest of the setting; empty for the standard leaderboard.",
    )
    match = serializers.IntegerField(source="row.match_id")
    seq = serializers.IntegerField(
        source="row.seq", help_text="Counts the results of the leaderboard in the order applied."
    )
    applied_at = serializers.DateTimeField(source="row.applied_at", allow_null=True)

    class Meta:
        model = RatingChange
        fields = (
            *("game", "scope", "match", "seq", "seat", "rank"),
            *("mu_before", "sigma_before", "mu_after", "sigma_after", "applied_at"),
        )
        read_only_fields = fields


class VersionRatingViewSet(Endpoint[BotVersion]):
    """The ratings of a bot version."""

    noun = "bot version"
    queryset = BotVersion.objects.all()
    serializer_class = RatingChangeSerializer  # type: ignore[assignment]  # not of versions
    filter_backends = ()
    query_parameters = {"history": (*PAGE_PARAMETERS, "game")}
    shared_actions = ("ratings", "history")

    @extend_schema(operation_id="versions_ratings", responses=VersionRatingSerializer(many=True))
    def ratings(self, request: Request, pk: str) -> Response:
        """Return the ratings of a bot version on the live leaderboards."""
        rows: Any = Rating.objects.of_version(self.get_object().pk).with_mean()
        page: Any = self.paginate_queryset(rows.filter(pool__in=Pool.objects.live()))
        return self.get_paginated_response(VersionRatingSerializer(page, many=True).data)

    @extend_schema(
        operation_id="versions_rating_history",
        parameters=[
            *PAGES_TOLD,
            OpenApiParameter("game", str, enum=list(GAMES), description="Only of this game."),
        ],
        responses=RatingChangeSerializer(many=True),
    )
    def history(self, request: Request, pk: str) -> Response:
        """List the rating changes of a bot version match by match, latest first.

        The numbers are exact: adding them up gives the leaderboard.
        """
        game = request.query_params.get("game", "")
        if game and game not in GAMES:
            raise InvalidInput(
                f"There is {unknown_game(game)}.", code="unknown_game", field="game"
            )
        live = Pool.objects.live().order_by()
        live = live.filter(game=game) if game else live
        # Filters by ids, because with a subquery PostgreSQL reads all results of these
        # leaderboards.
        pools = list(live.values_list("pk", flat=True))
        rows: Any = RatingChange.objects.filter(version=self.get_object(), row__pool__in=pools)
        page: Any = self.paginate_queryset(rows.select_related("row__pool"))
        return self.get_paginated_response(RatingChangeSerializer(page, many=True).data)
