"""How many teams one person may own."""

from __future__ import annotations

from typing import Final

from pentathlon.accounts.models import User
from pentathlon.core.quotas import Quota

MOST_TEAMS: Final = 20
MOST_MEMBERS: Final = 20
"""The most members of one team, those who are invited included."""


def team_quota(person: User) -> Quota:
    """Return how many teams a person owns."""
    return Quota(
        key="teams",
        about="teams of your own",
        limit=MOST_TEAMS,
        used=person.teams.count(),
        code="too_many_teams",
    )
