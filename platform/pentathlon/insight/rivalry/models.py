from __future__ import annotations

from typing import Self

from django.db import models
from django.db.models import F, Q

from pentathlon.bots.models import Bot, BotVersion
from pentathlon.matches.hidden_lanes import hidden_from
from pentathlon.matches.models import Match


class UncountedResult(models.Model):
    """A match whose meetings have yet to be made, or made again; a queue.

    A match may be queued twice: what changes while its meetings are made gets a row of its own.
    """

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="+")

    def __str__(self) -> str:
        return f"result of match {self.match_id}"


class MeetingQuerySet(models.QuerySet["Meeting"]):
    """Named queries for meetings."""

    def public(self) -> Self:
        """Leave out hidden results."""
        return self.filter(~hidden_from(None))

    def of_others(self) -> Self:
        """Leave out meetings of two versions of one bot."""
        return self.exclude(other=F("bot"))

    def counted(self) -> Self:
        """Leave out exact repeats."""
        return self.filter(is_repeat=False)


class Meeting(models.Model):
    """A bot that met another at the table of one match: who was ahead, and what was expected.

    Each of the two has a row of its own.
    """

    match = models.ForeignKey(
        Match, on_delete=models.CASCADE, related_name="meetings", db_index=False
    )
    bot = models.ForeignKey(Bot, on_delete=models.PROTECT, related_name="+", db_index=False)
    other = models.ForeignKey(Bot, on_delete=models.PROTECT, related_name="+", db_index=False)
    version = models.ForeignKey(
        BotVersion, on_delete=models.PROTECT, related_name="+", db_index=False
    )
    other_version = models.ForeignKey(
        BotVersion, on_delete=models.PROTECT, related_name="+", db_index=False
    )
    seat = models.PositiveSmallIntegerField()
    other_seat = models.PositiveSmallIntegerField()
    seats = models.PositiveSmallIntegerField()
    """The number of seats at the table."""
    game = models.CharField(max_length=30)
    kind = models.CharField(max_length=12)
    lane = models.PositiveBigIntegerField()
    plies = models.PositiveIntegerField()
    finished_at = models.DateTimeField()
    ended_on = models.DateField()
    """The date of the end, in UTC."""
    half_points = models.PositiveSmallIntegerField()
    """2 for being ahead, 1 for a tie. If both failed, both have lost."""
    have_both_failed = models.BooleanField()
    is_repeat = models.BooleanField()
    """Whether it repeats an earlier match move by move; scores count that only once."""
    expected = models.PositiveIntegerField(null=True)
    """The expected share in millionths, by the ratings just before; null: unrated."""
    variance = models.PositiveIntegerField(null=True)
    """The variance of that share, in millionths."""
    beaten_score = models.FloatField(null=True)
    """The other's rating right before a rated win by the rules of the game, not by a fault."""
    surprise = models.PositiveIntegerField(null=True)
    """The expected share before such a win; null unless both ratings had settled."""

    objects = MeetingQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("match", "seat", "other_seat"), name="rivalry_meeting_once"
            ),
        )
        indexes = (
            models.Index(fields=("bot", "game", "-match"), name="rivalry_of_bot"),
            models.Index(fields=("bot", "other", "-match"), name="rivalry_of_pair"),
            models.Index(
                fields=("bot", "game", "-beaten_score", "-match"),
                condition=Q(beaten_score__isnull=False),
                name="rivalry_best_wins",
            ),
            models.Index(
                fields=("ended_on", "surprise", "match"),
                condition=Q(surprise__isnull=False),
                name="rivalry_upsets",
            ),
        )

    def __str__(self) -> str:
        return f"{self.bot_id} against {self.other_id} in match {self.match_id}"
