from __future__ import annotations

from django.db import models
from django.db.models import F, Q
from pentathlon.bots.models import BotVersion
from pentathlon.matches.models import Match


class Pool(models.Model):
    """The set of results that one rating table is computed from."""

    key = models.CharField(max_length=60, unique=True)
    """"game:tuned" for a live leaderboard, "tournament:12" for one tournament."""
    game = models.CharField(max_length=30)
    title = models.CharField(max_length=120)
    draw_probability = models.FloatField()
    """Frozen when the pool is made; changing it needs a recompute."""
    algorithm_version = models.PositiveIntegerField(default=1)
    applied_seq = models.PositiveIntegerField(default=0)
    """Sequence number of the last result in the ledger."""

    class Meta:
        constraints = (
            models.CheckConstraint(
                condition=Q(draw_probability__gte=0.005, draw_probability__lte=0.5),
                name="ratings_draw_probability",
            ),
        )

    def __str__(self) -> str:
        return self.key


class LedgerState(models.TextChoices):
    """What became of a match in a pool."""

    WAITING = "waiting", "not finished, or not applied yet"
    APPLIED = "applied", "applied"
    SKIPPED = "skipped", "void or unrated: changes nothing"


class LedgerRow(models.Model):
    """One match in one pool, and its place in the order in which results were applied."""

    pool = models.ForeignKey(Pool, on_delete=models.CASCADE, related_name="rows")
    match = models.ForeignKey(Match, on_delete=models.PROTECT, related_name="ledger_rows")
    state = models.CharField(max_length=8, choices=LedgerState, default=LedgerState.WAITING)
    seq = models.PositiveIntegerField(null=True)
    """Counts from 1 without gaps over the applied rows of the pool."""
    applied_at = models.DateTimeField(null=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("pool", "match"), name="ratings_match_once"),
            models.UniqueConstraint(fields=("pool", "seq"), name="ratings_seq_once"),
            models.CheckConstraint(
                condition=Q(state=LedgerState.APPLIED, seq__isnull=False)
                | (~Q(state=LedgerState.APPLIED) & Q(seq__isnull=True)),
                name="ratings_applied_has_seq",
            ),
        )
        indexes = (
            models.Index(
                fields=("pool", "match"),
                condition=Q(state=LedgerState.WAITING),
                name="ratings_waiting",
            ),
        )

    def __str__(self) -> str:
        return f"{self.pool_id} row {self.seq}"


class RatingChange(models.Model):
    """What one ledger row did to one bot version: exact floats before and after."""

    row = models.ForeignKey(LedgerRow, on_delete=models.CASCADE, related_name="changes")
    version = models.ForeignKey(BotVersion, on_delete=models.PROTECT, related_name="rating_changes")
    seat = models.PositiveSmallIntegerField()
    rank = models.PositiveSmallIntegerField()
    mu_before = models.FloatField()
    sigma_before = models.FloatField()
    mu_after = models.FloatField()
    sigma_after = models.FloatField()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("row", "seat"), name="ratings_change_per_seat"),
        )
        indexes = (models.Index(fields=("version", "row"), name="ratings_history"),)

    def __str__(self) -> str:
        return f"{self.version_id} at row {self.row_id}"


class Rating(models.Model):
    """Where one bot version stands in one pool; derivable from the ledger."""

    pool = models.ForeignKey(Pool, on_delete=models.CASCADE, related_name="ratings")
    version = models.ForeignKey(BotVersion, on_delete=models.PROTECT, related_name="ratings")
    mu = models.FloatField()
    sigma = models.FloatField()
    score = models.GeneratedField(
        expression=F("mu") - 3 * F("sigma"), output_field=models.FloatField(), db_persist=True
    )
    """mu - 3 sigma: the order of live tables."""
    matches = models.PositiveIntegerField(default=0)
    wins = models.PositiveIntegerField(default=0)
    draws = models.PositiveIntegerField(default=0)
    losses = models.PositiveIntegerField(default=0)
    last_seq = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("pool", "version"), name="ratings_one_per_version"),
        )
        indexes = (models.Index(fields=("pool", "-score"), name="ratings_table"),)

    def __str__(self) -> str:
        return f"{self.version_id} in {self.pool_id}"
