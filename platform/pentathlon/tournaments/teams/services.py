"""Everything that changes teams.

invited --accepts--> member --leaves, is removed--> gone
   +----declines, is removed--------------------------^
"""

from __future__ import annotations

from typing import Final

from django.db import IntegrityError, transaction
from django.db.models.functions import Now

from pentathlon.accounts.models import NameKind, User
from pentathlon.accounts.names import take_name
from pentathlon.accounts.services import find_person
from pentathlon.core.errors import Conflict, InvalidInput, NotAllowed, NotFound
from pentathlon.core.names import is_of_the_house
from pentathlon.core.quotas import Quota
from pentathlon.tournaments.entries.eligibility import check_caps_of_member
from pentathlon.tournaments.people_rows import LONGEST_TEAM, Team, TeamMember

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


@transaction.atomic
def create_team(*, actor: User, name: str) -> Team:
    """Found a team; the actor owns it and is its first member."""
    name = _checked_name(name)
    # Two requests at once must not both find the last place free.
    User.objects.select_for_update().get(pk=actor.pk)
    teams = team_quota(actor)
    teams.check_left(
        f"You own {teams.used} teams, the most that one person may. Delete one first."
    )
    # People and teams share their names: a table must not show two that look alike.
    if is_of_the_house(name) or not take_name(kind=NameKind.AUTHOR, name=name, holder=actor):
        raise _name_taken(name)
    try:
        with transaction.atomic():
            team = Team.objects.create(name=name, owner=actor)
    except IntegrityError as error:
        raise _name_taken(name) from error
    TeamMember.objects.create(team=team, person=actor, accepted_at=Now())
    return team


@transaction.atomic
def invite_member(*, actor: User, team: Team, username: str) -> TeamMember:
    """Invite somebody to the actor's team; nobody else sees that before they accept."""
    team = _lock_own(actor, team)
    person = find_person(username)
    if person is None or not person.is_active:
        raise InvalidInput(
            f"There is no user called {username[:60]!r}.", code="unknown_person", field="person"
        )
    if team.memberships.filter(person=person).exists():
        raise Conflict(
            f"{person.username} is in {team.name} already, or is invited.",
            code="already_invited",
            field="person",
        )
    if team.memberships.count() >= MOST_MEMBERS:
        raise Conflict(
            f"A team has at most {MOST_MEMBERS} members, with those who are invited. Remove one "
            "first.",
            code="team_full",
            field="person",
        )
    return TeamMember.objects.create(team=team, person=person)


@transaction.atomic
def accept_invitation(*, actor: User, team: Team) -> TeamMember:
    """Make the actor a member of a team that has invited them.

    Raises:
        NotFound: `not_invited`.
        Conflict: `author_cap`, they would stand behind too many entries of a tournament.
    """
    team = _lock(team)
    invitation = _invitation(actor, team)
    check_caps_of_member(team, actor)
    TeamMember.objects.filter(pk=invitation.pk).update(accepted_at=Now())
    invitation.refresh_from_db()
    return invitation


@transaction.atomic
def decline_invitation(*, actor: User, team: Team) -> None:
    """Decline an invitation of the actor; it leaves no trace."""
    _invitation(actor, _lock(team)).delete()


@transaction.atomic
def leave_team(*, actor: User, team: Team) -> None:
    """Take the actor out of a team, whose entries stay; an owner passes it on.

    Raises:
        NotFound: `not_a_member`.
        Conflict: `last_member`.
    """
    team = _lock(team)
    own = team.memberships.accepted().filter(person=actor)
    if not own.exists():
        raise NotFound(f"You are not a member of {team.name}.", code="not_a_member")
    if not _pass_on(team, leaver=actor):
        raise Conflict(
            f"You are the last member of {team.name}. Delete the team instead.",
            code="last_member",
        )
    own.delete()


@transaction.atomic
def remove_member(*, actor: User, team: Team, username: str) -> None:
    """Remove somebody from the actor's team, or take an invitation back."""
    team = _lock_own(actor, team)
    person = find_person(username)
    rows = team.memberships.filter(person=person)
    if person is None or not rows.exists():
        raise NotFound(
            f"{username[:60]!r} is neither in {team.name} nor invited.",
            code="not_a_member",
            field="person",
        )
    if person.pk == actor.pk:
        raise Conflict("Leave your own team instead of removing yourself.", code="own_team")
    rows.delete()


@transaction.atomic
def delete_team(*, actor: User, team: Team) -> None:
    """Delete a team that has never entered a bot; the results of others keep their names."""
    team = _lock_own(actor, team)
    if team.entries.exists():
        raise Conflict(
            f"{team.name} has entered tournaments, whose tables name it. Leave it instead.",
            code="has_entries",
        )
    team.delete()


@transaction.atomic
def leave_all_teams(person: User) -> None:
    """Take a person out of all teams: each passes to its next member, or goes.

    A team without members stays only if tables name it.
    """
    mine = person.memberships.values("team")
    for team in Team.objects.select_for_update().filter(pk__in=mine).order_by("pk"):
        if _pass_on(team, leaver=person):
            team.memberships.filter(person=person).delete()
            continue
        # Nobody is left to lead those who are invited.
        team.memberships.all().delete()
        if not team.entries.exists():
            team.delete()


def _pass_on(team: Team, *, leaver: User) -> bool:
    """Give a locked team that the leaver owns to its longest member; False if there is none."""
    others = team.memberships.accepted().exclude(person=leaver).order_by("accepted_at", "pk")
    heir = others.select_related("person").first()
    if heir is None:
        return False
    if team.owner_id == leaver.pk:
        Team.objects.filter(pk=team.pk).update(owner=heir.person)
    return True


def _lock(team: Team) -> Team:
    """Lock a team, as entries do whose caps depend on its members."""
    locked = Team.objects.select_for_update().filter(pk=team.pk).first()
    if locked is None:
        raise NotFound(f"{team.name} was deleted.", code="no_team")
    return locked


def _lock_own(actor: User, team: Team) -> Team:
    """Lock a team that the actor owns."""
    team = _lock(team)
    if team.owner_id != actor.pk:
        raise NotAllowed(
            f"Only {team.owner.username}, who owns {team.name}, may change it.",
            code="not_your_team",
        )
    return team


def _invitation(actor: User, team: Team) -> TeamMember:
    found = team.memberships.invited().filter(person=actor).first()
    if found is None:
        raise NotFound(f"{team.name} has not invited you.", code="not_invited")
    return found


def _checked_name(name: str) -> str:
    name = " ".join(name.split())
    if not 1 <= len(name) <= LONGEST_TEAM or not name.isprintable():
        raise InvalidInput(
            f"A team has a name of 1 to {LONGEST_TEAM} characters, without control or "
            "formatting characters.",
            code="bad_name",
            field="name",
        )
    return name


def _name_taken(name: str) -> Conflict:
    return Conflict(
        f"The name {name}, or one that looks like it, is taken by a person or a team. Choose "
        "another one.",
        code="name_taken",
        field="name",
    )
