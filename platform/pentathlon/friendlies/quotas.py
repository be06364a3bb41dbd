"""Quotas of friendlies: how many one person may have under way, and begin in 24 hours."""

from datetime import timedelta
from typing import Final

from pentathlon.accounts.models import User
from pentathlon.core.clock import database_now
from pentathlon.core.quotas import Quota
from pentathlon.core.server.limits import FRIENDLIES_A_DAY, FRIENDLIES_UNDER_WAY
from pentathlon.friendlies.models import Friendly

_DAY: Final = timedelta(days=1)


def under_way_quota(person: User) -> Quota:
    """Return how many games have not ended."""
    return Quota(
        key="friendlies_under_way",
        about="games of your own under way",
        limit=FRIENDLIES_UNDER_WAY,
        used=Friendly.objects.of_person(person).under_way().count(),
        code="too_many_friendlies",
    )


def daily_quota(person: User) -> Quota:
    """Return how many games were begun in the last 24 hours."""
    latest = Friendly.objects.of_person(person).order_by("-pk")
    since = database_now() - _DAY
    begun = latest.values_list("created_at", flat=True)[:FRIENDLIES_A_DAY]
    counted = [at for at in begun if at > since]
    return Quota(
        key="friendlies_a_day",
        about="games of your own begun in 24 hours",
        limit=FRIENDLIES_A_DAY,
        used=len(counted),
        renews_at=min(counted) + _DAY if counted else None,
        code="friendly_quota",
    )
