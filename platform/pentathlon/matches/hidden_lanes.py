"""Lanes that are held, repeated, or have hidden results: from whom, and until when."""

from __future__ import annotations

from typing import Final, Self

from django.conf import settings
from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.db.models.functions import Coalesce, Now

from pentathlon.accounts.models import User
from pentathlon.accounts.roles import is_staff
from pentathlon.bots.models import OUT_OF_PLAY, REPEATED

NEVER_REPEATED: Final = tuple(state for state in OUT_OF_PLAY if state not in REPEATED)
"""States in which a version does not even play in a repeat."""


class HiddenLaneQuerySet(models.QuerySet["HiddenLane"]):
    """Named queries for hidden lanes, by the clock of the database."""

    def in_force(self) -> Self:
        """Return lanes with matches that are hidden right now."""
        begun = Q(hides_from=None) | Q(hides_from__lte=Now())
        return self.filter(begun, Q(hides_until=None) | Q(hides_until__gt=Now()))

    def closed_to(self, person: User | None) -> Self:
        """Return lanes with matches that this person may not see now."""
        closed = self.in_force()
        if person is None:
            return closed
        if is_staff(person):
            return closed.none()
        return closed.exclude(organiser=person).exclude(co_organisers=person)


class HiddenLane(models.Model):
    """A lane whose matches nobody sees but its organisers and staff, until its results are out.

    Every reader of matches asks this table, so that what is hidden is decided in one place.
    """

    lane = models.PositiveBigIntegerField(primary_key=True)
    organiser = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    co_organisers = models.ManyToManyField(settings.AUTH_USER_MODEL, related_name="+")
    """Who organises it beside the owner, and so sees what is hidden."""
    hides_from = models.DateTimeField(null=True)
    """Matches that ended before this time are shown; null if all are hidden."""
    hides_until = models.DateTimeField(null=True)
    """When the results become public; null until somebody releases them."""

    objects = HiddenLaneQuerySet.as_manager()

    def __str__(self) -> str:
        return f"hidden lane {self.lane}"


def hidden_from(person: User | None, *, match: str = "") -> Exists:
    """Return whether a match is hidden: its lane is, and the match had not ended before that.

    For queries of matches, and of rows that refer to a match: `match` is then the prefix of its
    fields, such as "match__".
    """
    ended_at = Coalesce(OuterRef(f"{match}finished_at"), Now())
    closed = HiddenLane.objects.closed_to(person).filter(lane=OuterRef(f"{match}lane"))
    return Exists(closed.filter(Q(hides_from=None) | Q(hides_from__lte=ended_at)))


def may_become_hidden() -> Exists:
    """Return whether a match is hidden, or will be at a time that has been set.

    For queries of matches. Nothing of such a match may be sent out while it is played.
    """
    lanes = HiddenLane.objects.filter(lane=OuterRef("lane"))
    return Exists(lanes.filter(Q(hides_until=None) | Q(hides_until__gt=Now())))


class HeldLane(models.Model):
    """A lane of which no match starts, however many wait in it: its tournament is paused."""

    lane = models.PositiveBigIntegerField(primary_key=True)

    class Meta:
        app_label = "matches"

    def __str__(self) -> str:
        return f"lane {self.lane}"


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
