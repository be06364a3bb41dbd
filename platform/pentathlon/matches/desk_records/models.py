from __future__ import annotations

from typing import Any, Self

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from pentathlon.accounts.models import User
from pentathlon.matches.replays.codec import unpack
from pentathlon_engines.record.shape import Record


class DeskRecordQuerySet(models.QuerySet["DeskRecord"]):
    """Named queries for desk records."""

    def by_author(self, author: User) -> Self:
        """Return what somebody has uploaded."""
        return self.filter(author=author)

    def listed(self) -> Self:
        """Load the authors with the rows, without the records; the latest first."""
        return self.select_related("author").defer("data").order_by("-pk")


class DeskRecord(models.Model):
    """The record of a match that an author has played at their desk and uploaded.

    It is no `Match`, so nothing that counts, rates, lists or schedules matches ever meets it. Its
    moves follow the rules and its seed; who made them is only the author's word.
    """

    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="desk_records"
    )
    game = models.CharField(max_length=30)
    rules_version = models.PositiveIntegerField()
    bots = models.JSONField()
    """The bots by seat: their names and content hashes, as the record states them."""
    ranks = models.JSONField()
    scores = models.JSONField(null=True)
    faults = models.JSONField(default=list)
    """The seats whose bots failed."""
    outcome_reason = models.CharField(max_length=30)
    plies = models.PositiveIntegerField()
    chain = models.CharField(max_length=64, unique=True)
    """The last link of the record's hash chain; unique, so that no record is stored twice."""
    codec = models.CharField(max_length=8)
    data = models.BinaryField()
    """The canonical JSON of the record, compressed."""
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    objects = DeskRecordQuerySet.as_manager()

    class Meta:
        indexes = (
            models.Index(fields=("author", "-id"), name="desk_records_of_author"),
            models.Index(fields=("author", "created_at"), name="desk_records_quota"),
        )

    def __str__(self) -> str:
        return f"desk record {self.pk}"

    @property
    def record(self) -> Record:
        """The record itself."""
        return unpack(bytes(self.data), codec=self.codec)

    @property
    def seats(self) -> list[dict[str, Any]]:  # Any: texts and numbers
        """The bot and the result of each seat, by the record."""
        return [
            {
                "seat": seat,
                "name": bot["name"],
                "hash": bot["hash"],
                "rank": self.ranks[seat],
                "score": None if self.scores is None else self.scores[seat],
                "has_failed": seat in self.faults,
            }
            for seat, bot in enumerate(self.bots)
        ]
