"""Whose versions may come in by which door.

Every door looks at the version that comes in, whoever holds the place that it takes:

| door | active versions of | candidates of |
|---|---|---|
| own | the actor | the actor |
| team | its members, if the actor is one of them | the actor, if a member |
| organiser | everybody who does not refuse, and the actor | the actor |

Friendlies, ladders and opponents of challenges are chosen by bot, not by version, and anybody's
may be: `BotVersionQuerySet.in_line` finds the active one for them, never a candidate.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum

from pentathlon.accounts.models import User
from pentathlon.bots.models import BotVersion
from pentathlon.common.errors import NotAllowed


class Door(StrEnum):
    """A way by which a version gets matches."""

    OWN = "own"
    """Its author enters it, replaces by it, challenges with it or tests it."""
    TEAM = "team"
    """A member of a team enters it for the team, or replaces by it."""
    ORGANISER = "organiser"
    """The organiser of a tournament enters it, or replaces by it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why a version may not come in."""

    code: str
    detail: str


def check_door(
    door: Door,
    version: BotVersion,
    *,
    actor: User,
    team: Collection[int] = (),
    field: str | None = None,
) -> None:
    """Refuse a version that may not come in; `team` holds the ids of a team's members.

    Raises:
        NotAllowed: `not_your_bot`, `not_in_team`, `candidate` or `refuses_organisers`.
    """
    refusal = refusal_at(door, version, actor=actor, team=team)
    if refusal is not None:
        raise NotAllowed(refusal.detail, code=refusal.code, field=field)


def refusal_at(
    door: Door, version: BotVersion, *, actor: User, team: Collection[int] = ()
) -> Refusal | None:
    """Return why a version may not come in by a door; None if it may."""
    author = version.bot.owner
    if door is Door.TEAM and not {actor.pk, author.pk} <= set(team):
        stranger = actor if actor.pk not in team else author
        return Refusal(
            code="not_in_team",
            detail=f"{stranger.username} is not a member of this team. Members are invited, and "
            "accept.",
        )
    if author.pk == actor.pk:
        return None
    if door is Door.OWN:
        return Refusal(
            code="not_your_bot",
            detail=f"{version.label} belongs to {author.username}: take a version of your own.",
        )
    if version.is_candidate:
        return Refusal(
            code="candidate",
            detail=f"{version.label} is a candidate: it plays only where {author.username} enters "
            "it. Take an active version.",
        )
    if door is Door.ORGANISER and not author.takes_organiser_entries:
        return Refusal(
            code="refuses_organisers",
            detail=f"{author.username} lets no organiser enter {version.bot.name}. Ask them to "
            "enter it themselves.",
        )
    return None
