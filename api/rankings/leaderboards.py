from typing import Any, Final

from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from api.matches.matches import SeatedVersionSerializer
from api.protocol.endpoint import Endpoint, RowSerializer
from api.protocol.pagination import PAGE_PARAMETERS, PAGES_TOLD, BestFirst, CursorPages, OnePage
from pentathlon.accounts.models import names_version
from pentathlon.bots.models import BotVersion
from pentathlon.core.caching import FOR_ALL, answer_if_changed, tag_of
from pentathlon.core.errors import InvalidInput, NotFound
from pentathlon.ratings.models import Pool, Rating, RatingChange, RatingQuerySet, live_key
from pentathlon.ratings.scopes import Pace, digest_in_key
from pentathlon.ratings.tables import (
    Narrowing,
    PoolProgress,
    known_mean,
    leaderboard_file,
    narrowed,
    ranked_in,
    ranked_rows,
    read_progress,
    versions_in_play,
)
from pentathlon.ratings.uncertainty import is_provisional
from pentathlon_engines import GAMES
from pentathlon_engines.contract.registry import unknown_game

_VERSIONS: Final = ("active", "all")
_NARROWING: Final = ("owner", "language", "references")
_YES_NO: Final = ("yes", "no")


class SettingSerializer(serializers.Serializer[Any]):
    """The setting under which results are comparable."""

    seats = serializers.IntegerField(required=False)
    pace = serializers.ChoiceField(
        choices=[pace.value for pace in Pace],
        required=False,
        help_text="The pace, by CPU seconds per action: fast below 0.3, slow above 3.",
    )
    options = serializers.DictField(required=False, help_text="All options of the game.")


class LeaderboardSerializer(RowSerializer[Pool]):
    """A game's leaderboard in short."""

    matches = serializers.IntegerField(source="applied_seq", help_text="Results applied so far.")
    scope = serializers.CharField(
        help_text="Digest of game, options, seats and pace: ?scope= asks for this table. Empty: "
        "the standard one, which existed before the others."
    )
    setting = SettingSerializer(help_text="The setting that all results of the table share.")
    epoch = serializers.IntegerField(help_text="Counts refits; each one changes all ratings.")
    draw_probability = serializers.FloatField(
        help_text="The probability of a draw between equal bots."
    )
    beta = serializers.FloatField(help_text="The noise of one performance.")
    algorithm_version = serializers.IntegerField(help_text="The version of the rating rule.")
    fingerprint = serializers.CharField(
        help_text="Identifies the arithmetic of these ratings: a recompute with the same one "
        "gives equal "
        "bits, with another one the same to 1e-9."
    )

    class Meta:
        model = Pool
        fields = (
            *("game", "scope", "title", "setting", "matches", "epoch", "draw_probability", "beta"),
            *("algorithm_version", "fingerprint"),
        )


class RatingSerializer(RowSerializer[Rating]):
    """The rating of one bot version."""

    rank = serializers.IntegerField(help_text="Starts at 1.")
    version = SeatedVersionSerializer()
    beats_average = serializers.FloatField(
        source="odds.sure",
        help_text="How often it finishes ahead of an average version of the table, at least: by "
        "mu - 3 sigma, so the table is in this order.",
    )
    strength = serializers.FloatField(
        source="bar.strength", help_text="mu, moved so that 25 is the mean of all rated versions."
    )
    interval = serializers.SerializerMethodField(
        help_text="The 95 % interval of the true strength."
    )
    provisional = serializers.SerializerMethodField(
        help_text="Whether there were too few matches for a reliable rating."
    )

    class Meta:
        model = Rating
        fields: tuple[str, ...] = (
            "rank",
            "version",
            "beats_average",
            "mu",
            "sigma",
            "score",
            "strength",
            "interval",
            "provisional",
            "matches",
            "wins",
            "draws",
            "losses",
        )

    def get_interval(self, rating: Rating) -> list[float]:
        """Return the bounds of the strength."""
        return [rating.bar.low, rating.bar.high]

    def get_provisional(self, rating: Rating) -> bool:
        """Return whether the rank may still change much."""
        return is_provisional(rating.skill)


class LeaderboardViewSet(Endpoint[Pool]):
    """Live tables, ordered by mu - 3 sigma."""

    queryset = Pool.objects.live()
    serializer_class = LeaderboardSerializer
    filter_backends = ()
    lookup_field = "game"
    query_parameters = {
        "table_csv": ("versions", "scope"),
        "retrieve": (*PAGE_PARAMETERS, "versions", "scope", *_NARROWING),
    }
    lookup_value_regex = "[a-z_]{1,30}"
    pagination_class = OnePage
    shared_actions = ("list",)

    @extend_schema(responses=LeaderboardSerializer(many=True))
    def list(self, request: Request) -> Response:
        """List the leaderboards: each game's standard one, and those of other settings."""
        page = self.paginate_queryset(self.get_queryset())
        return self.get_paginated_response(LeaderboardSerializer(page, many=True).data)

    @extend_schema(
        operation_id="leaderboards_table",
        parameters=[
            *PAGES_TOLD,
            OpenApiParameter("scope", str, description="The digest of a setting, from the list."),
            OpenApiParameter(
                "versions",
                str,
                enum=_VERSIONS,
                description="The newest version of each bot that may play, or all versions.",
            ),
            OpenApiParameter(
                "owner", str, description="Only bots of this user; ranks stay the same."
            ),
            OpenApiParameter(
                "language", str, description="Only bots in this language, such as `python`."
            ),
            OpenApiParameter(
                "references", str, enum=_YES_NO, description="Whether reference bots are shown."
            ),
        ],
        responses=RatingSerializer(many=True),
    )
    def retrieve(self, request: Request, game: str) -> HttpResponseBase:
        """Return a game's leaderboard, best first."""
        if game not in GAMES:
            raise NotFound(f"There is {unknown_game(game)}.")
        scope = digest_in_key(game, request.query_params.get("scope", ""))
        progress = read_progress(live_key(game, scope))
        if scope and not progress.pool_id:
            raise NotFound(
                "There is no leaderboard of this setting; the list shows those that exist."
            )
        shows_all = self._shows_all(request)
        # The set of active versions may change without a result.
        parts = (game, names_version(), versions_in_play(progress), *progress)
        return answer_if_changed(
            request._request,
            tag=tag_of(*parts, request.META["QUERY_STRING"]),
            make=lambda: self._page(request, self._rows(progress, shows_all=shows_all)),
            keep=FOR_ALL,
        )

    @extend_schema(
        parameters=[
            OpenApiParameter("scope", str, description="The digest of a setting, from the list."),
            OpenApiParameter("versions", str, enum=_VERSIONS),
        ],
        responses={(200, "text/csv"): OpenApiTypes.STR},
    )
    def table_csv(self, request: Request, game: str) -> HttpResponseBase:
        """Return a game's whole leaderboard as CSV, best first."""
        if game not in GAMES:
            raise NotFound(f"There is {unknown_game(game)}.")
        scope = digest_in_key(game, request.query_params.get("scope", ""))
        shows_all, progress = self._shows_all(request), read_progress(live_key(game, scope))
        return leaderboard_file(game, self._rows(progress, shows_all=shows_all))

    def _rows(self, progress: PoolProgress, *, shows_all: bool) -> RatingQuerySet:
        table = Rating.objects.table(progress.key, mean=known_mean(progress))
        return table if shows_all else table.active()

    def _shows_all(self, request: Request) -> bool:
        wanted = request.query_params.get("versions", _VERSIONS[0])
        if wanted not in _VERSIONS:
            raise InvalidInput(
                f"versions is one of {', '.join(_VERSIONS)}.",
                code="bad_versions",
                field="versions",
            )
        return wanted == "all"

    def _page(self, request: Request, table: RatingQuerySet) -> Response:
        pages, wanted = BestFirst(), _narrowing(request)
        shown = narrowed(table, wanted)
        found: Any = pages.paginate_queryset(shown, request, self)  # Any: a page of ratings
        rows = ranked_rows(table, found) if wanted == Narrowing() else ranked_in(table, found)
        return pages.get_paginated_response(RatingSerializer(rows, many=True).data)


def _narrowing(request: Request) -> Narrowing:
    asked = {name: request.query_params.get(name, "").replace("\0", "") for name in _NARROWING}
    if asked["references"] not in ("", *_YES_NO):
        raise InvalidInput(
            f"references is one of {', '.join(_YES_NO)}.",
            code="bad_references",
            field="references",
            allowed=[*_YES_NO],
        )
    return Narrowing(
        author=asked["owner"],
        language=asked["language"],
        with_references=asked["references"] != "no",
    )


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
            "game",
            "scope",
            *(name for name in RatingSerializer.Meta.fields if name not in ("rank", "version")),
        )


class RatingChangeSerializer(RowSerializer[RatingChange]):
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
