from __future__ import annotations

from django.conf import settings
from django.db import models
from pentathlon.bots.models import BotVersion
from pentathlon.matches.models import Match
from pentathlon.ratings.models import Pool


class TournamentState(models.TextChoices):
    """A tournament's life."""

    DRAFT = "draft", "draft"
    OPEN = "open", "open for entries"
    RUNNING = "running", "running"
    PAUSED = "paused", "paused"
    CLOSED = "closed", "closed"
    CANCELLED = "cancelled", "cancelled"


class TournamentFormat(models.TextChoices):
    """How pairings are made."""

    ROUND_ROBIN = "round_robin", "round robin"


class Tournament(models.Model):
    """A tournament is a document: from it the same schedule and seeds follow every time."""

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="tournaments"
    )
    name = models.CharField(max_length=80)
    game = models.CharField(max_length=30)
    format = models.CharField(max_length=20, choices=TournamentFormat)
    table_seats = models.PositiveSmallIntegerField(default=2)
    """Seats at each table."""
    cycles = models.PositiveSmallIntegerField(default=1)
    """How often every group of bots meets; each meeting is a block of all seat orders."""
    seed = models.BigIntegerField()
    options = models.JSONField(default=dict)
    limits = models.JSONField(default=dict)
    rated = models.BooleanField(default=True)
    """Results also count on the game's live leaderboard."""
    state = models.CharField(
        max_length=10, choices=TournamentState, default=TournamentState.OPEN, db_index=True
    )
    pool = models.OneToOneField(Pool, null=True, on_delete=models.PROTECT)
    """Its own rating table; made at the start."""
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return self.name


class Entry(models.Model):
    """A bot version that takes part."""

    tournament = models.ForeignKey(Tournament, on_delete=models.CASCADE, related_name="entries")
    version = models.ForeignKey(BotVersion, on_delete=models.PROTECT, related_name="entries")
    number = models.PositiveIntegerField()
    """Order of entry, from 0; the schedule is made of these numbers."""

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("tournament", "version"), name="tournaments_entry_once"),
            models.UniqueConstraint(fields=("tournament", "number"), name="tournaments_entry_number"),
        )

    def __str__(self) -> str:
        return f"{self.version} in {self.tournament}"


class TournamentMatch(models.Model):
    """The place of a match in a tournament's schedule."""

    tournament = models.ForeignKey(
        Tournament, on_delete=models.CASCADE, related_name="tournament_matches"
    )
    match = models.OneToOneField(Match, on_delete=models.CASCADE, related_name="place")
    round = models.PositiveIntegerField()
    """From 1."""
    block = models.PositiveIntegerField()
    """From 1 over the whole tournament: same bots, same seed, every seat order."""
    index = models.PositiveIntegerField()
    """From 1 over the whole tournament: schedule order."""

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("tournament", "index"), name="tournaments_index_once"),
        )

    def __str__(self) -> str:
        return f"match {self.index} of {self.tournament_id}"
