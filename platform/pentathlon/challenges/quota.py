"""How many challenge matches an author may still have played today."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Sum

from pentathlon.accounts.models import User
from pentathlon.challenges.models import Challenge
from pentathlon.common.clock import database_now
from pentathlon.common.errors import Conflict
from pentathlon.server.limits import CHALLENGE_MATCHES_A_DAY, CHALLENGES_UNDER_WAY


@dataclass(frozen=True, slots=True, kw_only=True)
class ChallengeQuota:
    """What an author may have played, in matches a day; a day begins at midnight in UTC."""

    limit: int
    used: int
    renews_at: datetime
    under_way: int
    """Challenges that have not ended."""
    most_under_way: int

    @property
    def left(self) -> int:
        """Matches that may still be asked for."""
        return max(0, self.limit - self.used)


def read_quota(author: User) -> ChallengeQuota:
    """Return an author's quota as it stands now.

    Matches count when they are asked for; cancelling a challenge gives none back, or somebody
    could have schedules made and thrown away without end.
    """
    midnight = database_now().replace(hour=0, minute=0, second=0, microsecond=0)
    own = Challenge.objects.by_author(author)
    asked = own.filter(created_at__gte=midnight).aggregate(total=Sum("planned"))
    return ChallengeQuota(
        limit=CHALLENGE_MATCHES_A_DAY,
        used=asked["total"] or 0,
        renews_at=midnight + timedelta(days=1),
        under_way=own.under_way().count(),
        most_under_way=CHALLENGES_UNDER_WAY,
    )


def check_quota(author: User, *, matches: int) -> None:
    """Refuse a challenge of so many matches if its author has too much under way or played.

    Call in the transaction that stores it: challenges of one author come one after the other.

    Raises:
        Conflict: `too_many_challenges` or `challenge_quota`.
    """
    User.objects.select_for_update().get(pk=author.pk)
    quota = read_quota(author)
    if quota.under_way >= quota.most_under_way:
        raise Conflict(
            f"{quota.under_way} challenges of yours are under way, the most that one author may "
            "have at a time. Wait until one is done, or cancel one.",
            code="too_many_challenges",
        )
    if matches > quota.left:
        raise Conflict(
            f"This challenge takes {matches} matches; {quota.left} of your {quota.limit} a day "
            f"are left. The quota renews on {quota.renews_at:%d %B at %H:%M} UTC.",
            code="challenge_quota",
            field="blocks",
        )
