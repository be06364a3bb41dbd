from __future__ import annotations

from django.db import models

from pentathlon.matches.models import Match


class ExploredPosition(models.Model):
    """A position that public matches have reached, and how they ended."""

    game = models.CharField(max_length=30)
    key = models.CharField(max_length=32)
    """The key that `Game.position_key` returns."""
    matches = models.PositiveIntegerField()
    """How many matches have reached it; each counts once."""
    points = models.JSONField()
    """By seat: the sum of the shares of the other seats that it beat; a tie is half."""

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("game", "key"), name="explorer_position_once"),
        )

    def __str__(self) -> str:
        return f"{self.key} of {self.game}"


class ExploredGame(models.Model):
    """The progress of counting the matches of a game."""

    game = models.CharField(max_length=30, primary_key=True)
    finished_at = models.DateTimeField(null=True)
    match_id = models.PositiveBigIntegerField(default=0)
    """The last match that was counted; the order is by `finished_at`, then by id."""
    matches = models.PositiveIntegerField(default=0)
    """How many matches have been counted."""
    positions = models.PositiveIntegerField(default=0)
    """How many positions of the game have rows."""

    def __str__(self) -> str:
        return f"{self.game}: {self.matches}"


class ExploredMatch(models.Model):
    """A match whose turn has come, and how much of it is counted."""

    match = models.OneToOneField(Match, on_delete=models.CASCADE, primary_key=True)
    lane = models.PositiveBigIntegerField(default=0, db_default=0)
    """The lane of the match: what is hidden now is known by lanes."""
    depth = models.PositiveSmallIntegerField(default=0, db_default=0)
    """How many positions it was counted in, from the start on; 0 if it is not counted."""
    is_due = models.BooleanField(default=True, db_default=True)
    """Whether to look at it again: it was hidden, or its result was corrected."""

    class Meta:
        indexes = (
            models.Index(fields=("lane",), condition=models.Q(is_due=True), name="explorer_due"),
        )

    def __str__(self) -> str:
        return f"match {self.match_id}"
