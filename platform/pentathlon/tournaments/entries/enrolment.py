"""Entries of bots before the start, alone or for a team of authors."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction

from pentathlon.accounts.models import User
from pentathlon.audit.actions import AuditAction
from pentathlon.bots.models import BotVersion
from pentathlon.common.errors import Conflict, InvalidInput
from pentathlon.tournaments.audit_events import audit_entry
from pentathlon.tournaments.documents import checks
from pentathlon.tournaments.documents.document import draft_document
from pentathlon.tournaments.entries.eligibility import check_may_enter, check_not_disqualified
from pentathlon.tournaments.entries.withdrawals import forget_start_problem, get_entry
from pentathlon.tournaments.guards import (
    check_author_or_organiser,
    is_organiser_of,
    lock,
)
from pentathlon.tournaments.models import UNSTARTED, Entry, TeamMember, Tournament

LONGEST_TEAM = 80
MOST_MEMBERS = 20


@transaction.atomic
def enter_bot(
    *,
    actor: User,
    tournament: Tournament,
    version_id: int,
    team: str = "",
    members: Sequence[str] = (),
) -> Entry:
    """Enter a bot, alone or for a team, all of whose members may withdraw and replace it."""
    team = _check_team(team) if team or members else ""
    people = _check_members(members)
    entry = enter_tournament(actor=actor, tournament=tournament, version_id=version_id, team=team)
    TeamMember.objects.bulk_create(
        TeamMember(entry=entry, person=person)
        for person in people
        if person.pk != entry.version.bot.owner_id
    )
    return entry


@transaction.atomic
def enter_tournament(
    *, actor: User, tournament: Tournament, version_id: int, team: str = ""
) -> Entry:
    """Enter a bot version, alone or for a team; its author and the organiser may."""
    tournament = lock(tournament, *UNSTARTED, to="enter")
    known = checks.find_versions([version_id], game=tournament.game, at="version".format)
    entry = enter_versions(tournament, known, actor=actor, team=team)[0]
    if entry.version.bot.owner_id != actor.pk:
        audit_entry(AuditAction.ENTRY_ENTER, tournament, entry.version, actor=actor)
    return entry


def enter_versions(
    tournament: Tournament, versions: Sequence[BotVersion], *, actor: User, team: str = ""
) -> list[Entry]:
    """Enter playable bot versions in a locked tournament that has not started."""
    check_not_disqualified(tournament, versions)
    entries = list(tournament.entries.scheduled().select_related("version__bot"))
    _check_entrants(tournament, entries, versions, actor=actor, team=team)
    checks.check_size(draft_document(tournament), bots=len(entries) + len(versions))
    # Withdrawn entries leave gaps in the numbers until the start.
    first = max((entry.number or 0 for entry in entries), default=-1) + 1
    forget_start_problem(tournament)
    return Entry.objects.bulk_create(
        Entry(tournament=tournament, version=version, number=number, team=team)
        for number, version in enumerate(versions, start=first)
    )


@transaction.atomic
def leave_team(*, actor: User, tournament: Tournament, version_id: int) -> Entry:
    """Take the actor out of the team of an entry; the bot's author cannot leave it."""
    entry = get_entry(tournament, version_id)
    gone, _ = entry.members.filter(person=actor).delete()
    if not gone:
        raise Conflict(
            f"{actor.username} is not a member of the team of {entry.version.label}. Its author "
            "withdraws the bot instead.",
            code="not_a_member",
        )
    return entry


def _check_team(name: str) -> str:
    name = " ".join(name.split())
    if not 1 <= len(name) <= LONGEST_TEAM or not name.isprintable():
        raise InvalidInput(
            f"A team has a name of 1 to {LONGEST_TEAM} characters, without control or "
            "formatting characters.",
            code="bad_name",
            field="team",
        )
    return name


def _check_members(usernames: Sequence[str]) -> list[User]:
    if len(usernames) > MOST_MEMBERS:
        raise InvalidInput(f"A team has at most {MOST_MEMBERS} members.", field="members")
    known = {user.username: user for user in User.objects.filter(username__in=usernames)}
    if unknown := [name for name in usernames if name not in known]:
        raise InvalidInput(
            f"There is no user called {', '.join(map(repr, unknown))}.",
            code="unknown_person",
            field="members",
        )
    return list(known.values())


def _check_entrants(
    tournament: Tournament,
    entries: Sequence[Entry],
    versions: Sequence[BotVersion],
    *,
    actor: User,
    team: str,
) -> None:
    """Refuse versions that have entered already, belong to somebody else, or are too many."""
    entered = {entry.version_id for entry in entries}
    if again := [version.label for version in versions if version.pk in entered]:
        raise Conflict(
            f"Already entered: {', '.join(again)}.", code="already_entered", field="versions"
        )
    if is_organiser_of(actor, tournament):
        return
    for version in versions:
        check_author_or_organiser(actor, tournament, version.bot, to="enter")
    check_may_enter(tournament, versions, entries=entries, actor=actor, team=team)
    own = sum(entry.version.bot.owner_id == actor.pk for entry in entries)
    if own + len(versions) > tournament.entries_per_author:
        raise Conflict(
            f"{tournament.name} takes at most {tournament.entries_per_author} bots of an author. "
            "Withdraw one of yours first, or ask the organiser.",
            code="author_cap",
            field="version",
        )
