from __future__ import annotations

import uuid

from django.db import models
from django.db.models import Q
from pentathlon.bots.models import BotVersion


class MatchState(models.TextChoices):
    """A match's life; the database owns it."""

    PENDING = "pending", "waiting"
    RUNNING = "running", "running"
    DONE = "done", "done"
    VOID = "void", "void"


class MatchKind(models.TextChoices):
    """Why a match is played."""

    VALIDATION = "validation", "validation of an upload"
    TOURNAMENT = "tournament", "tournament"


class AttemptState(models.TextChoices):
    """How one try to run a match on a worker went."""

    RUNNING = "running", "running"
    ACCEPTED = "accepted", "result accepted"
    EXPIRED = "expired", "lease expired"
    FAILED = "failed", "failed on the host"


class Match(models.Model):
    """One play of a game: what is to be played, where it stands, and how it ended."""

    kind = models.CharField(max_length=12, choices=MatchKind)
    game = models.CharField(max_length=30)
    rules_version = models.PositiveIntegerField()
    options = models.JSONField(default=dict)
    seed = models.BigIntegerField()
    limits = models.JSONField(default=dict)
    """Fields of `Limits` that differ from the defaults."""
    rated = models.BooleanField(default=False)
    on_hold = models.BooleanField(default=False)
    """Not to be published for now: its tournament is paused."""

    state = models.CharField(max_length=8, choices=MatchState, default=MatchState.PENDING)
    state_reason = models.CharField(max_length=300, blank=True)
    """Why it is void, or why the last attempt failed."""
    attempts_made = models.PositiveIntegerField(default=0)
    token = models.UUIDField(null=True)
    """Of the running attempt; a result counts only with it."""
    worker = models.CharField(max_length=80, blank=True)
    lease_until = models.DateTimeField(null=True)
    sent_at = models.DateTimeField(null=True)
    """When a hint was last published for it; null = to be published."""
    ply = models.PositiveIntegerField(default=0)
    """How far it is, or how long it was."""

    outcome_reason = models.CharField(max_length=30, blank=True)
    """How the game ended, in the word of its rules, or "fault"."""
    sandbox = models.CharField(max_length=12, blank=True)
    chain = models.CharField(max_length=64, blank=True)
    """Last link of the record's hash chain."""
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        constraints = (
            models.CheckConstraint(
                condition=~Q(state=MatchState.RUNNING)
                | Q(token__isnull=False, lease_until__isnull=False),
                name="matches_running_has_lease",
            ),
            models.CheckConstraint(
                condition=~Q(state=MatchState.DONE) | Q(finished_at__isnull=False),
                name="matches_done_has_time",
            ),
        )
        indexes = (
            models.Index(
                fields=("id",),
                condition=Q(state=MatchState.PENDING),
                name="matches_pending",
            ),
            models.Index(
                fields=("lease_until",),
                condition=Q(state=MatchState.RUNNING),
                name="matches_running",
            ),
            models.Index(fields=("game", "state", "-id"), name="matches_by_game"),
            models.Index(fields=("state", "-finished_at"), name="matches_recent"),
        )

    def __str__(self) -> str:
        return f"match {self.pk} of {self.game}"


class MatchSeat(models.Model):
    """One place at the table of one match: who sat there and how it went."""

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="seats")
    seat = models.PositiveSmallIntegerField()
    version = models.ForeignKey(BotVersion, on_delete=models.PROTECT, related_name="seats")
    rank = models.PositiveSmallIntegerField(null=True)
    """0 = best; equal = tied."""
    score = models.IntegerField(null=True)
    """Points of the game, where it has points."""
    fault_kind = models.CharField(max_length=16, blank=True)
    fault_ply = models.PositiveIntegerField(null=True)
    fault_detail = models.CharField(max_length=300, blank=True)
    cpu_ms = models.PositiveIntegerField(default=0)
    wall_ms = models.PositiveIntegerField(default=0)
    memory_peak_mb = models.FloatField(default=0)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("match", "seat"), name="matches_one_bot_per_seat"),
        )
        indexes = (models.Index(fields=("version", "-match"), name="matches_of_version"),)

    def __str__(self) -> str:
        return f"seat {self.seat} of match {self.match_id}"


class SeatLog(models.Model):
    """What a bot wrote to standard error and its notes; for its owner only."""

    seat = models.OneToOneField(
        MatchSeat, on_delete=models.CASCADE, primary_key=True, related_name="log"
    )
    text = models.TextField(blank=True)
    notes = models.JSONField(default=list)
    """Pairs of ply and note."""

    def __str__(self) -> str:
        return f"log of {self.seat}"


class Attempt(models.Model):
    """One try to run a match on a worker."""

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="attempts")
    number = models.PositiveIntegerField()
    token = models.UUIDField(default=uuid.uuid4, unique=True)
    worker = models.CharField(max_length=80)
    state = models.CharField(
        max_length=8, choices=AttemptState, default=AttemptState.RUNNING
    )
    reason = models.CharField(max_length=300, blank=True)
    result_hash = models.CharField(max_length=64, blank=True)
    """Of the accepted submission, so that the same one may be sent again."""
    started_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("match", "number"), name="matches_attempt_number"),
        )

    def __str__(self) -> str:
        return f"attempt {self.number} of match {self.match_id}"
