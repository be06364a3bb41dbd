"""Lanes that are held."""

from __future__ import annotations

from django.db import models


class HeldLane(models.Model):
    """A lane of which no match starts, however many wait in it: its tournament is paused."""

    lane = models.PositiveBigIntegerField(primary_key=True)

    class Meta:
        app_label = "matches"

    def __str__(self) -> str:
        return f"lane {self.lane}"
