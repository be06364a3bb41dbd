from __future__ import annotations

from datetime import timedelta
from typing import Self

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from pentathlon.matches.models import Match


class AnalysisState(models.TextChoices):
    """The states of an analysis; the database owns them, as it owns those of a match."""

    WAITING = "waiting", "waiting"
    RUNNING = "running", "being computed"
    DONE = "done", "done"
    FAILED = "failed", "cannot be computed"


class AnalysisQuerySet(models.QuerySet["Analysis"]):
    """Named queries for analyses."""

    def waiting(self) -> Self:
        """Return waiting analyses: first those asked for, then those of the latest matches."""
        found = self.filter(state=AnalysisState.WAITING)
        # The index on PostgreSQL has this order; SQLite sorts the few rows that wait.
        return found.order_by(models.F("asked_at").asc(nulls_last=True), "-match")

    def starving(self, patience_s: float) -> Self:
        """Return analyses that have waited this long since they were asked for, lent ones last."""
        found = self.filter(
            state=AnalysisState.WAITING, asked_at__lt=Now() - timedelta(seconds=patience_s)
        )
        return found.order_by(models.F("lent_at").asc(nulls_first=True), "asked_at", "match")

    def lent(self) -> Self:
        """Return analyses that were ever lent a slot, the latest loan first."""
        return self.filter(lent_at__isnull=False).order_by("-lent_at")

    def running(self) -> Self:
        """Return analyses that are being computed, as far as workers have reported."""
        return self.filter(state=AnalysisState.RUNNING)


class Analysis(models.Model):
    """The win-chance curve of a match: computed once, by a worker that has nothing to play.

    Where every worker always has matches to play, a slot is lent to a match that somebody has
    opened (`loans`).

    A curve is stored whole or not at all; what was measured before the analysis gave way is kept
    beside it.
    """

    match = models.OneToOneField(
        Match, on_delete=models.CASCADE, primary_key=True, related_name="analysis"
    )
    state = models.CharField(max_length=8, choices=AnalysisState, default=AnalysisState.WAITING)
    asked_at = models.DateTimeField(null=True)
    """When somebody first opened the match; null if nobody has."""
    sent_at = models.DateTimeField(null=True)
    """When a worker was last told of it; null until then."""
    token = models.UUIDField(null=True)
    """The token of the worker that computes it; a curve is stored only with this token."""
    lease_until = models.DateTimeField(null=True)
    lent_at = models.DateTimeField(null=True)
    """When a slot was last lent to it while matches waited."""
    lent_ms = models.PositiveIntegerField(null=True)
    """How long that loan held the slot; null while it goes on, or if its worker has died."""
    attempts = models.PositiveSmallIntegerField(default=0)
    """How many attempts ended because the worker fell silent or died."""
    method = models.PositiveSmallIntegerField(default=0)
    """The version of the method by which the curve was made, or could not be."""
    curve = models.JSONField(null=True)
    """The curve as `pentathlon_engines.analysis.curve.Curve.to_json` writes it."""
    measured = models.JSONField(null=True)
    """The measurements of attempts that gave way, with the version of their method."""
    cpu_ms = models.PositiveIntegerField(default=0)
    error = models.CharField(max_length=30, blank=True)
    """A code for why it cannot be computed; empty unless that is so."""
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    ended_at = models.DateTimeField(null=True)

    objects = AnalysisQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "analyses"
        constraints = (
            models.CheckConstraint(
                condition=~Q(state=AnalysisState.DONE) | Q(curve__isnull=False),
                name="analyses_done_has_curve",
            ),
            models.CheckConstraint(
                condition=~Q(state=AnalysisState.RUNNING)
                | Q(token__isnull=False, lease_until__isnull=False),
                name="analyses_running_has_lease",
            ),
        )
        indexes = (
            models.Index(
                fields=("asked_at", "-match"),
                condition=Q(state=AnalysisState.WAITING),
                name="analyses_waiting",
            ),
            models.Index(
                fields=("lease_until",),
                condition=Q(state=AnalysisState.RUNNING),
                name="analyses_running",
            ),
            models.Index(
                fields=("-lent_at",),
                condition=Q(lent_at__isnull=False),
                name="analyses_lent",
            ),
        )

    def __str__(self) -> str:
        return f"analysis of match {self.match_id}"
