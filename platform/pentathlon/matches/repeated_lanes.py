"""Lanes of repeats: retired and stopped versions play in them once more."""

from __future__ import annotations

from typing import Final

from django.db import models

from pentathlon.bots.models import VersionState

NEVER_REPEATED: Final = (VersionState.DISQUALIFIED,)
"""States in which a version does not even play in a repeat."""


class RepeatedLane(models.Model):
    """A lane that plays an earlier tournament again, unrated, with the versions of then."""

    lane = models.PositiveBigIntegerField(primary_key=True)

    def __str__(self) -> str:
        return f"repeated lane {self.lane}"
