from __future__ import annotations

from django.db import models
from django.db.models.functions import Now

from pentathlon.core.models import Damageable
from pentathlon.matches.models import Match


class Replay(Damageable):
    """The stored record of a match: compressed, verified before it was accepted."""

    match = models.OneToOneField(
        Match, on_delete=models.CASCADE, primary_key=True, related_name="replay"
    )
    codec = models.CharField(max_length=8)
    """How `data` was compressed."""
    data = models.BinaryField()
    """The compressed canonical JSON of the record; empty once it has moved to the store."""
    object_name = models.CharField(max_length=120, default="", db_default="", blank=True)
    """Its name in the store, which ends with the SHA-256 of `data`; empty if the data is here."""
    raw_bytes = models.PositiveIntegerField()
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    awaits_log = models.BooleanField(default=True, db_default=True)
    """Whether its receipt is still missing from the log: the result is new, or hidden."""

    class Meta:
        indexes = (
            models.Index(
                fields=("match",),
                condition=models.Q(damaged_at__isnull=False),
                name="replays_damaged",
            ),
            models.Index(
                fields=("match",),
                condition=models.Q(awaits_log=True),
                name="replays_awaiting_log",
            ),
            models.Index(
                fields=("created_at",),
                condition=models.Q(object_name=""),
                name="replays_in_database",
            ),
        )

    def __str__(self) -> str:
        return f"replay of match {self.match_id}"
