from __future__ import annotations

from typing import Final, Self

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from pentathlon.bots.models import BotVersion
from pentathlon.fleet.models import WorkerToken
from pentathlon.matches.models import PRIVATE_KINDS, Attempt, AttemptState, Match

LONGEST_REASON: Final = 300


class CheckState(models.TextChoices):
    """States and results of a spot check."""

    OPEN = "open", "is played"
    AGREED = "agreed", "agreed"
    OUTVOTED = "outvoted", "a worker was outvoted"
    DISPUTED = "disputed", "nobody could decide"
    UNPROVEN = "unproven", "proves nothing"


class SpotCheck(models.Model):
    """A result of a worker that other workers play again."""

    state = models.CharField(max_length=8, choices=CheckState, default=CheckState.OPEN)
    reason = models.CharField(max_length=LONGEST_REASON, blank=True)
    """How it ended, in a sentence."""
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        indexes = (
            models.Index(
                fields=("id",), condition=Q(state=CheckState.OPEN), name="trust_open_checks"
            ),
            models.Index(
                fields=("-id",),
                condition=Q(state=CheckState.DISPUTED),
                name="trust_disputed_checks",
            ),
        )

    def __str__(self) -> str:
        return f"spot check {self.pk}"


class CheckRun(models.Model):
    """One of the matches that a spot check compares; number 0 is the result that was drawn."""

    check_of = models.ForeignKey(SpotCheck, on_delete=models.CASCADE, related_name="runs")
    number = models.PositiveSmallIntegerField()
    match = models.OneToOneField(Match, on_delete=models.CASCADE, related_name="check_run")
    party = models.PositiveBigIntegerField()
    """The party whose workers play it; see `Capabilities.party`."""

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("check_of", "number"), name="trust_run_number"),
        )
        indexes = (models.Index(fields=("party", "-id"), name="trust_runs_of_party"),)

    def __str__(self) -> str:
        return f"run {self.number} of {self.check_of}"


class UnsteadyVersion(models.Model):
    """A bot version that played differently on one worker: its results prove nothing."""

    version = models.OneToOneField(BotVersion, on_delete=models.CASCADE, primary_key=True)
    found_at = models.DateTimeField(db_default=Now(), editable=False)

    def __str__(self) -> str:
        return f"unsteady {self.version_id}"


class QuarantineQuerySet(models.QuerySet["Quarantine"]):
    """Named queries for quarantines."""

    def in_force(self) -> Self:
        """Return quarantines that nobody has ended."""
        return self.filter(ended_at=None)

    def listed(self) -> Self:
        """Return all quarantines, latest first, with the rows that pages and the API name."""
        return self.select_related("token", "check_of", "ended_by").order_by("-pk")


class Quarantine(models.Model):
    """A worker token takes nothing until staff have looked at its results."""

    token = models.ForeignKey(WorkerToken, on_delete=models.PROTECT, related_name="quarantines")
    reason = models.CharField(max_length=LONGEST_REASON)
    check_of = models.ForeignKey(SpotCheck, on_delete=models.SET_NULL, null=True)
    """The spot check that led to it; null if none did."""
    after_attempt = models.PositiveBigIntegerField(default=0)
    """The last attempt that agreed with others; results of later ones are in question."""
    began_at = models.DateTimeField(db_default=Now(), editable=False)
    ended_at = models.DateTimeField(null=True)
    ended_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    end_reason = models.CharField(max_length=LONGEST_REASON, blank=True)

    objects = QuarantineQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("token",), condition=Q(ended_at=None), name="trust_one_quarantine"
            ),
        )

    def __str__(self) -> str:
        return f"quarantine of {self.token}"

    @property
    def questioned(self) -> models.QuerySet[Attempt]:
        """The attempts whose results are in question, whatever was decided, the latest first."""
        own = Attempt.objects.filter(worker_token=self.token_id, state=AttemptState.ACCEPTED)
        found = own.filter(pk__gt=self.after_attempt).exclude(match__kind__in=PRIVATE_KINDS)
        if self.ended_at is not None:
            found = found.filter(started_at__lt=self.ended_at)
        return found.order_by("-pk")


class Verdict(models.TextChoices):
    """Decisions of staff about a result in question."""

    KEEP = "keep", "kept"
    REVOKE = "revoke", "revoked"


class Review(models.Model):
    """A decision of a member of staff about one result, with its reason."""

    quarantine = models.ForeignKey(Quarantine, on_delete=models.CASCADE, related_name="reviews")
    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="reviews")
    verdict = models.CharField(max_length=6, choices=Verdict)
    reason = models.CharField(max_length=LONGEST_REASON)
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    decided_at = models.DateTimeField(db_default=Now(), editable=False)
    is_carried_out = models.BooleanField(default=False)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("quarantine", "match"), name="trust_one_review"),
        )
        indexes = (
            models.Index(
                fields=("quarantine",),
                condition=Q(is_carried_out=False),
                name="trust_reviews_to_do",
            ),
        )

    def __str__(self) -> str:
        return f"{self.verdict} match {self.match_id}"
