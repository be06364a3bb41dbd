from __future__ import annotations

from typing import Final, Self

from django.db import models
from django.db.models import Avg, Count, Exists, F, OuterRef, Q, Subquery, Value
from django.db.models.functions import Coalesce

from pentathlon.bots.models import BotVersion, VersionState
from pentathlon.matches.models import Match
from pentathlon.ratings.book import Book, RatingLine
from pentathlon.ratings.skill import ALGORITHM_VERSION, BETA, MU, Skill
from pentathlon.ratings.uncertainty import Odds, StrengthBar, live_bar, live_odds

_GAME: Final = "game:"
_TOURNAMENT: Final = "tournament:"
_EPOCH: Final = "epoch:"


def live_key(game: str, scope: str = "") -> str:
    """Return the key of the pool behind a live leaderboard: the standard one, or of a scope."""
    return f"{_GAME}{game}:{scope}" if scope else f"{_GAME}{game}"


def tournament_key(tournament_id: int) -> str:
    """Return the key of the pool of a tournament."""
    return f"{_TOURNAMENT}{tournament_id}"


def epoch_key(key: str, epoch: int) -> str:
    """Return the key of an epoch of a leaderboard that is not the current one."""
    return f"{_EPOCH}{epoch}:{key}"


def tournament_of_key(key: str) -> int | None:
    """Return the id of the tournament that a pool belongs to; None for a live leaderboard."""
    return int(key.removeprefix(_TOURNAMENT)) if key.startswith(_TOURNAMENT) else None


class PoolQuerySet(models.QuerySet["Pool"]):
    """Named queries for pools."""

    def live(self) -> Self:
        """Return the live leaderboards, those of each game in a row and its standard one first."""
        return self.filter(key__startswith=_GAME).order_by("game", "key")

    def with_new_results(self) -> Self:
        """Return pools with results to apply, except those that a newer release computes."""
        ready = LedgerRow.objects.ready().order_by()
        known = self.filter(algorithm_version__lte=ALGORITHM_VERSION)
        return known.filter(pk__in=ready.values("pool"))

    def outdated(self) -> Self:
        """Return pools whose ratings have to be recomputed, by this release."""
        stale = Q(algorithm_version=ALGORITHM_VERSION, is_stale=True)
        return self.filter(stale | Q(algorithm_version__lt=ALGORITHM_VERSION))

    def without_scores(self) -> Self:
        """Return the pools of tournaments whose results have not been counted."""
        return self.filter(key__startswith=_TOURNAMENT, seat_scores__isnull=True)


class Pool(models.Model):
    """The set of results that one rating table is computed from."""

    key = models.CharField(max_length=60, unique=True)
    """Made by `live_key`, `epoch_key` or `tournament_key`; only this module takes it apart."""
    game = models.CharField(max_length=30)
    title = models.CharField(max_length=120)
    scope = models.CharField(max_length=16, blank=True, db_default="")
    """The digest of its `RatingScope`; empty for tournaments, or if older than scopes."""
    setting = models.JSONField(default=dict, db_default={})
    """Options, seats and pace of the scope."""
    epoch = models.PositiveIntegerField(default=1, db_default=1)
    """Which epoch of a live leaderboard this is, from 1; rows and changes belong to one epoch."""
    draw_probability = models.FloatField()
    beta = models.FloatField(default=BETA, db_default=BETA)
    """Noise of a performance, fixed like the draw probability: `refit_game` makes a new pool."""
    fingerprint = models.CharField(max_length=64, blank=True, db_default="")
    """The fingerprint of its arithmetic; "mixed" if there were several, empty if unknown."""
    algorithm_version = models.PositiveIntegerField(default=ALGORITHM_VERSION)
    applied_seq = models.PositiveIntegerField(default=0)
    """The sequence number of the last result that was applied."""
    is_stale = models.BooleanField(default=False, db_default=False)
    """Whether ratings must be recomputed: results were taken back, or a recompute was cut off."""
    ledger_version = models.PositiveIntegerField(default=0, db_default=0)
    """Counts the changes to results in the ledger that had been applied before."""
    recomputes = models.PositiveIntegerField(default=0, db_default=0)
    """How often all ratings were rewritten; whatever was read before that may have changed."""
    done = models.PositiveIntegerField(default=0, db_default=0)
    """Played matches that `seat_scores` and the score lines count."""
    void = models.PositiveIntegerField(default=0, db_default=0)
    """Void matches, counted up to the same point."""
    seat_scores = models.JSONField(null=True)
    """A tournament's wins, draws and losses by seat; null in other pools, and until counted."""

    objects = PoolQuerySet.as_manager()

    class Meta:
        constraints = (
            models.CheckConstraint(
                condition=Q(draw_probability__gte=0.005, draw_probability__lte=0.5),
                name="ratings_draw_probability",
            ),
        )

    def __str__(self) -> str:
        return self.key

    @property
    def current_key(self) -> str:
        """The key of the pool; for a past epoch, the key of its leaderboard."""
        return self.key.split(":", 2)[2] if self.key.startswith(_EPOCH) else self.key

    @property
    def is_live(self) -> bool:
        """Whether the pool belongs to a live leaderboard, which has charts."""
        return tournament_of_key(self.key) is None

    def book(self, lines: dict[int, RatingLine] | None = None) -> Book:
        """Return a rating table in memory that goes on from these lines."""
        return Book(
            draw_probability=self.draw_probability,
            beta=self.beta,
            lines=lines,
            has_charts=self.is_live,
        )

    @property
    def is_outdated(self) -> bool:
        """Whether the pool's ratings have to be recomputed before anything is added to them."""
        return self.is_stale or self.algorithm_version < ALGORITHM_VERSION

    @property
    def is_newer(self) -> bool:
        """Whether the pool was computed by a newer release, whose rules this one does not know."""
        return self.algorithm_version > ALGORITHM_VERSION


class LedgerState(models.TextChoices):
    """States of a match in a pool."""

    WAITING = "waiting", "not finished"
    READY = "ready", "finished, to be applied"
    APPLIED = "applied", "applied"
    SKIPPED = "skipped", "void or unrated: changes nothing"
    REVOKED = "revoked", "taken back: counts no more"


class LedgerReason(models.TextChoices):
    """Why a match changes no rating."""

    VOID = "void", "the match is void"
    NO_SANDBOX = "no_sandbox", "its bots ran without a sandbox"
    SAME_VERSION = "same_version", "a bot version played against itself"
    SAME_OWNER = "same_owner", "bots of one author: it counts in its tournament only"
    ALL_FAILED = "all_failed", "no change: all seats failed"
    REPEAT = "repeat", "no change: the same match as an earlier one, move by move"
    REVOKED = "revoked", "the result was taken back"


class LedgerRowQuerySet(models.QuerySet["LedgerRow"]):
    """Named queries for rows of the ledger."""

    def waiting(self) -> Self:
        """Return rows whose match is not known to have ended."""
        return self.filter(state=LedgerState.WAITING)

    def ready(self) -> Self:
        """Return rows whose match has ended and has not been applied."""
        return self.filter(state=LedgerState.READY)


class LedgerRow(models.Model):
    """One match in one pool, and its place in the order in which results were applied."""

    pool = models.ForeignKey(Pool, on_delete=models.CASCADE, related_name="rows", db_index=False)
    match = models.ForeignKey(Match, on_delete=models.PROTECT, related_name="ledger_rows")
    state = models.CharField(max_length=8, choices=LedgerState, default=LedgerState.WAITING)
    seq = models.PositiveIntegerField(null=True)
    """The number of the applied row, from 1 without gaps; a row that is taken back keeps it."""
    reason = models.CharField(max_length=12, choices=LedgerReason, blank=True, db_default="")
    """Why it changes no rating; otherwise empty."""
    ended_at = models.DateTimeField(null=True)
    """When its match ended; results are applied in this order."""
    applied_at = models.DateTimeField(null=True)
    course = models.BigIntegerField(null=True)
    """A digest of who sat where and all that happened; null if unknown, or if it tells nothing."""

    objects = LedgerRowQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("pool", "match"), name="ratings_match_once"),
            models.UniqueConstraint(fields=("pool", "seq"), name="ratings_seq_once"),
            models.CheckConstraint(
                condition=Q(state=LedgerState.APPLIED, seq__isnull=False)
                | Q(state=LedgerState.REVOKED)
                | Q(
                    state__in=(LedgerState.WAITING, LedgerState.READY, LedgerState.SKIPPED),
                    seq__isnull=True,
                ),
                name="ratings_applied_has_seq",
            ),
        )
        indexes = (
            models.Index(
                fields=("pool", "match"),
                condition=Q(state=LedgerState.WAITING),
                name="ratings_waiting",
            ),
            models.Index(
                fields=("id",),
                condition=Q(state=LedgerState.WAITING),
                name="ratings_waiting_in_turn",
            ),
            models.Index(
                fields=("pool", "ended_at", "match"),
                condition=Q(state=LedgerState.READY),
                name="ratings_ready",
            ),
            models.Index(
                fields=("pool", "course", "reason", "seq"),
                condition=Q(course__isnull=False),
                name="ratings_course",
            ),
        )

    def __str__(self) -> str:
        return f"{self.pool_id} row {self.seq}"


class RatingChange(models.Model):
    """The change that one ledger row made to one bot version: exact floats before and after."""

    row = models.ForeignKey(
        LedgerRow, on_delete=models.CASCADE, related_name="changes", db_index=False
    )
    version = models.ForeignKey(
        BotVersion, on_delete=models.PROTECT, related_name="rating_changes", db_index=False
    )
    seat = models.PositiveSmallIntegerField()
    rank = models.PositiveSmallIntegerField()
    mu_before = models.FloatField()
    sigma_before = models.FloatField()
    mu_after = models.FloatField()
    sigma_after = models.FloatField()
    nth = models.PositiveIntegerField(null=True)
    """Which result of its version in the pool it is, where `is_landmark` needs it for charts."""

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("row", "seat"), name="ratings_change_per_seat"),
        )
        indexes = (
            models.Index(fields=("version", "row"), name="ratings_history"),
            models.Index(
                fields=("version", "nth"),
                condition=Q(nth__isnull=False),
                name="ratings_landmarks",
            ),
        )

    def __str__(self) -> str:
        return f"{self.version_id} at row {self.row_id}"


class RatingQuerySet(models.QuerySet["Rating"]):
    """Named queries for ratings."""

    def table(self, pool_key: str, *, mean: float | None = None) -> Self:
        """Return a pool's table, best first, with everything that a row shows.

        `mean` is the mean of all rated versions of the pool, if the caller knows it already.
        """
        # With a join, no index could give the rows in order, and all of them would be read.
        pool = Subquery(Pool.objects.filter(key=pool_key).values("pk")[:1])
        rows = self.filter(pool=pool).select_related("version__bot__owner")
        hidden = ("version__validation_log", "version__manifest")
        field = Rating.objects.filter(pool=pool)
        told = rows.with_mean(field, mean=mean)
        return told.defer(*hidden).order_by("-score", "version_id")

    def active(self) -> Self:
        """Leave out candidates, versions that may not play, and versions that were superseded."""
        shown = Q(version__is_candidate=False, version__state=VersionState.ELIGIBLE)
        same_bot = Q(pool=OuterRef("pool"), version__bot=OuterRef("version__bot"))
        newer = Q(version__number__gt=OuterRef("version__number"))
        return self.filter(shown, ~Exists(Rating.objects.filter(shown, same_bot, newer)))

    def ranked(self) -> Self:
        """Add `rank` among the active versions of the pool; for a few rows."""
        above = Rating.objects.filter(pool=OuterRef("pool"), score__gt=OuterRef("score"))
        counted = above.active().order_by().values("pool").annotate(count=Count("pk"))
        return self.annotate(rank=Coalesce(Subquery(counted.values("count")), Value(0)) + 1)

    def with_mean(self, field: RatingQuerySet | None = None, *, mean: float | None = None) -> Self:
        """Add `field_beta` and `field_mean`, that of all in `field` or in the row's pool."""
        beta = Subquery(Pool.objects.filter(pk=OuterRef("pool")).values("beta"))
        if mean is not None:
            return self.annotate(field_mean=Value(mean), field_beta=beta)
        rated = Rating.objects.filter(pool=OuterRef("pool")) if field is None else field
        means = rated.filter(matches__gt=0).order_by().values("pool").annotate(mean=Avg("mu"))
        found = Coalesce(Subquery(means.values("mean")), Value(MU))
        return self.annotate(field_mean=found, field_beta=beta)

    def of_version(self, version_id: int) -> Self:
        """Return a bot version's ratings, those on live leaderboards first."""
        current = self.exclude(pool__key__startswith=_EPOCH)
        return current.filter(version=version_id).select_related("pool").order_by("pool__key")


class Rating(models.Model):
    """The rating of one bot version in one pool; derivable from the ledger."""

    pool = models.ForeignKey(Pool, on_delete=models.CASCADE, related_name="ratings")
    version = models.ForeignKey(BotVersion, on_delete=models.PROTECT, related_name="ratings")
    mu = models.FloatField()
    sigma = models.FloatField()
    score = models.GeneratedField(
        expression=F("mu") - 3 * F("sigma"), output_field=models.FloatField(), db_persist=True
    )
    """mu - 3 sigma, by which live tables are ordered."""
    matches = models.PositiveIntegerField(default=0)
    wins = models.PositiveIntegerField(default=0)
    draws = models.PositiveIntegerField(default=0)
    losses = models.PositiveIntegerField(default=0)
    last_seq = models.PositiveIntegerField(default=0)

    rank: int
    """Its place in the table, from 1; added by `ranked_rows`."""
    field_mean: float
    """The mean of its pool; added by `RatingQuerySet.with_mean`."""
    field_beta: float
    """The noise of a performance in its pool; added with the mean."""

    objects = RatingQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("pool", "version"), name="ratings_one_per_version"),
        )
        indexes = (models.Index(fields=("pool", "-score"), name="ratings_table"),)

    def __str__(self) -> str:
        return f"{self.version_id} in {self.pool_id}"

    @property
    def skill(self) -> Skill:
        """Mu and sigma as one value."""
        return Skill(self.mu, self.sigma)

    @property
    def bar(self) -> StrengthBar:
        """The strength as tables show it, with its interval; needs `with_mean`."""
        return live_bar(self.skill, mean=self.field_mean)

    @property
    def odds(self) -> Odds:
        """How often it finishes ahead of an average version; needs `with_mean`."""
        return live_odds(self.skill, mean=self.field_mean, beta=self.field_beta)

    @property
    def line(self) -> RatingLine:
        """The row as a line of a rating table in memory."""
        counts = (self.matches, self.wins, self.draws, self.losses, self.last_seq)
        return RatingLine(self.skill, *counts)


class ScoreLine(models.Model):
    """The score of one bot version in a tournament, counted result by result, for its tables."""

    pool = models.ForeignKey(Pool, on_delete=models.CASCADE, related_name="score_lines")
    version = models.ForeignKey(BotVersion, on_delete=models.PROTECT, related_name="score_lines")
    matches = models.PositiveIntegerField(default=0)
    wins = models.PositiveIntegerField(default=0)
    draws = models.PositiveIntegerField(default=0)
    faults = models.PositiveIntegerField(default=0)
    ahead = models.PositiveIntegerField(default=0)
    """How many others at its tables it finished ahead of."""
    level = models.PositiveIntegerField(default=0)
    """How many others at its tables it tied with."""
    against = models.JSONField(default=dict)
    """Wins, draws and losses by the id of the other bot version."""

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("pool", "version"), name="ratings_score_line_once"),
        )

    def __str__(self) -> str:
        return f"scores of {self.version_id} in {self.pool_id}"
