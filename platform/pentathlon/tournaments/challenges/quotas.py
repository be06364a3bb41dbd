"""How many challenge matches an author may still have played today."""

from __future__ import annotations

from datetime import timedelta

from django.db.models import Sum

from pentathlon.accounts.models import User
from pentathlon.core.clock import database_now
from pentathlon.core.quotas import Quota
from pentathlon.core.server.limits import CHALLENGE_MATCHES_A_DAY, CHALLENGES_UNDER_WAY
from pentathlon.tournaments.challenges.models import Challenge


def daily_quota(author: User) -> Quota:
    """Return how many matches were asked for today; a day begins at midnight in UTC.

    Matches count when they are asked for. Cancelling a challenge gives none back, since otherwise
    somebody could have schedules made and thrown away without end.
    """
    midnight = database_now().replace(hour=0, minute=0, second=0, microsecond=0)
    own = Challenge.objects.by_author(author)
    asked = own.filter(created_at__gte=midnight).aggregate(total=Sum("planned"))
    return Quota(
        key="challenge_matches_a_day",
        about="matches of challenges today",
        limit=CHALLENGE_MATCHES_A_DAY,
        used=asked["total"] or 0,
        renews_at=midnight + timedelta(days=1),
        code="challenge_quota",
    )


def under_way_quota(author: User) -> Quota:
    """Return how many challenges have not ended."""
    return Quota(
        key="challenges_under_way",
        about="challenges under way",
        limit=CHALLENGES_UNDER_WAY,
        used=Challenge.objects.by_author(author).under_way().count(),
        code="too_many_challenges",
    )


def check_quotas(author: User, *, matches: int) -> None:
    """Refuse a challenge of so many matches if it exceeds one of its author's quotas.

    Call it in the transaction that stores the challenge: those of one author are stored in turn.

    Raises:
        Conflict: `too_many_challenges` or `challenge_quota`.
    """
    User.objects.select_for_update().get(pk=author.pk)
    under_way = under_way_quota(author)
    under_way.check_left(
        f"{under_way.used} challenges of yours are under way, the most that one author may have "
        "at a time. Wait until one is done, or cancel one."
    )
    daily = daily_quota(author)
    daily.check_left(
        f"This challenge takes {matches} matches; {daily.left} of your {daily.limit} a day are "
        f"left. The quota renews on {daily.renews_at:%d %B at %H:%M} UTC.",
        wanted=matches,
        field="blocks",
    )
