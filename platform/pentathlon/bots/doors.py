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

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from pentathlon.accounts.models import User
from pentathlon.bots.models import BotVersion
from pentathlon.core.errors import NotAllowed


class Door(StrEnum):
    """A way by which a version gets matches."""

    OWN = "own"
    """Its author enters it, replaces by it, challenges with it or tests it."""
    TEAM = "team"
    """A member of a team enters it for the team, or replaces by it."""
    ORGANISER = "organiser"
    """The organiser of a tournament enters it, or replaces by it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Objection:
    """Why a version may not come in."""

    code: str
    detail: str


_Check = Callable[[BotVersion, User, Collection[int]], Objection | None]


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
    objection = objection_at(door, version, actor=actor, team=team)
    if objection is not None:
        raise NotAllowed(objection.detail, code=objection.code, field=field)


def objection_at(
    door: Door, version: BotVersion, *, actor: User, team: Collection[int] = ()
) -> Objection | None:
    """Return why a version may not come in by a door; None if it may."""
    objections = (check(version, actor, team) for check in CHECKS[door])
    return next(filter(None, objections), None)


def _actor_is_member(version: BotVersion, actor: User, team: Collection[int]) -> Objection | None:
    return None if actor.pk in team else _no_member(actor)


def _author_is_member(version: BotVersion, actor: User, team: Collection[int]) -> Objection | None:
    author = version.bot.owner
    return None if author.pk in team else _no_member(author)


def _is_own(version: BotVersion, actor: User, team: Collection[int]) -> Objection | None:
    author = version.bot.owner
    if author.pk == actor.pk:
        return None
    return Objection(
        code="not_your_bot",
        detail=f"{version.label} belongs to {author.username}: take a version of your own.",
    )


def _is_active_or_own(version: BotVersion, actor: User, team: Collection[int]) -> Objection | None:
    author = version.bot.owner
    if author.pk == actor.pk or not version.is_candidate:
        return None
    return Objection(
        code="candidate",
        detail=f"{version.label} is a candidate: it plays only where {author.username} enters "
        "it. Take an active version.",
    )


def _is_willing_or_own(
    version: BotVersion, actor: User, team: Collection[int]
) -> Objection | None:
    author = version.bot.owner
    if author.pk == actor.pk or author.takes_organiser_entries:
        return None
    return Objection(
        code="refuses_organisers",
        detail=f"{author.username} lets no organiser enter {version.bot.name}. Ask them to "
        "enter it themselves.",
    )


def _no_member(person: User) -> Objection:
    return Objection(
        code="not_in_team",
        detail=f"{person.username} is not a member of this team. Members are invited, and accept.",
    )


CHECKS: Final[Mapping[Door, tuple[_Check, ...]]] = {
    Door.OWN: (_is_own,),
    Door.TEAM: (_actor_is_member, _author_is_member, _is_active_or_own),
    Door.ORGANISER: (_is_active_or_own, _is_willing_or_own),
}
"""What each door asks of a version, in order."""
