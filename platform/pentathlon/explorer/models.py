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


class UncountedMatch(models.Model):
    """A match whose result was hidden when its turn came; it is counted once it is public."""

    match = models.OneToOneField(Match, on_delete=models.CASCADE, primary_key=True)

    def __str__(self) -> str:
        return f"match {self.match_id}"
