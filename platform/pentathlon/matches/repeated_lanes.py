"""Lanes of repeats: retired and stopped versions play in them once more."""

from __future__ import annotations

from typing import Final

from django.db import models
from django.db.models import Q

from pentathlon.bots.models import OUT_OF_PLAY, REPEATED

NEVER_REPEATED: Final = tuple(state for state in OUT_OF_PLAY if state not in REPEATED)
"""States in which a version does not even play in a repeat."""


class RepeatedLane(models.Model):
    """A lane that plays an earlier tournament again, unrated, with the versions of then."""

    lane = models.PositiveBigIntegerField(primary_key=True)

    def __str__(self) -> str:
        return f"repeated lane {self.lane}"


def is_repeated(lane: int) -> bool:
    """Return whether retired and stopped versions play in a lane."""
    return RepeatedLane.objects.filter(lane=lane).exists()


def mark_repeated(lane: int, *, repeats: bool) -> None:
    """Let retired and stopped versions play in a lane, or no longer."""
    if repeats:
        RepeatedLane.objects.get_or_create(lane=lane)
    else:
        RepeatedLane.objects.filter(lane=lane).delete()


def out_of_play(version: str, *, lane: str) -> Q:
    """Return the condition that a version, named by a path of fields, is out of play in a lane."""
    repeated = Q(**{f"{lane}__in": RepeatedLane.objects.values("lane")})
    out = Q(**{f"{version}__state__in": OUT_OF_PLAY})
    return out & ~(repeated & Q(**{f"{version}__state__in": REPEATED}))
