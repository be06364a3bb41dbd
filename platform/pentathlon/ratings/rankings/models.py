from __future__ import annotations

from typing import Self

from django.conf import settings
from django.db import models
from django.db.models.functions import Now


class RankingTableQuerySet(models.QuerySet["RankingTable"]):
    """Named queries for tables."""

    def published(self) -> Self:
        """Return complete tables, the latest first."""
        return self.filter(is_published=True).order_by("-pk")


class RankingTable(models.Model):
    """The Pentathlon ranking as it was computed once; the latest published one is shown."""

    rule = models.CharField(max_length=40)
    """Name and version of the rule."""
    pools = models.JSONField()
    """By game, how far results had been applied when it was computed."""
    authors = models.PositiveIntegerField()
    is_published = models.BooleanField(default=False)
    """False while its lines are being written."""
    took_ms = models.PositiveIntegerField()
    """CPU time of computing it; the longer it took, the longer until the next table."""
    computed_at = models.DateTimeField(db_default=Now(), editable=False)

    objects = RankingTableQuerySet.as_manager()

    def __str__(self) -> str:
        return f"ranking {self.pk}"


class RankingDay(models.Model):
    """A day with a remembered ranking: the first table of that day, in UTC."""

    day = models.DateField(primary_key=True)
    authors = models.PositiveIntegerField()
    is_complete = models.BooleanField(default=False)
    """False while its places are being written."""

    def __str__(self) -> str:
        return f"ranking of {self.day}"


class FormerPlace(models.Model):
    """An author's rank on a day."""

    author = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        related_name="former_places",
        db_index=False,
    )
    day = models.ForeignKey(RankingDay, on_delete=models.CASCADE, related_name="places")
    rank = models.PositiveIntegerField()
    share = models.FloatField()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("author", "day"), name="rankings_former_place_once"),
        )

    def __str__(self) -> str:
        return f"rank {self.rank} of {self.author_id} on {self.day_id}"


class RankingLine(models.Model):
    """One author's line of a ranking."""

    table = models.ForeignKey(
        RankingTable, on_delete=models.CASCADE, related_name="lines", db_index=False
    )
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="ranking_lines"
    )
    place = models.PositiveIntegerField()
    """The place in the order of the table, from 1 without gaps."""
    rank = models.PositiveIntegerField()
    """Starts at 1; equal authors share a rank."""
    share = models.FloatField()
    games = models.JSONField()
    """By game: `share`, and `version`, `bot` and `label` of the version that counts, or null."""

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("table", "author"), name="rankings_author_once"),
            models.UniqueConstraint(fields=("table", "place"), name="rankings_place_once"),
        )

    def __str__(self) -> str:
        return f"rank {self.rank} of {self.author_id}"
