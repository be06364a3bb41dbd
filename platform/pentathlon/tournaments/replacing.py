"""An entry changes its bot: another version of it, or another bot of the same author or team.

Until the start, an entry is a place that any of them may take. From then on the document holds the
content of every bot: places, points, ratings and the proof of a result all name the bot that
entered. A newcomer would either take over points that it has not played for, or start without any
in the middle of a table. So a running entry can be withdrawn, but not replaced; ladders, whose
schedule has no end, let the newest version take over by themselves.
"""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction

from pentathlon.accounts.models import User
from pentathlon.bots.models import BotVersion
from pentathlon.common.errors import Conflict, InvalidInput, NotAllowed
from pentathlon.tournaments import checks
from pentathlon.tournaments.eligibility import check_may_enter
from pentathlon.tournaments.entries import forget_start_problem, get_entry
from pentathlon.tournaments.guards import check_may_manage
from pentathlon.tournaments.models import (
    UNSTARTED,
    Entry,
    EntryState,
    TeamMember,
    Tournament,
)
from pentathlon.tournaments.notices import note_entry
from pentathlon.tournaments.services import enter_tournament

LONGEST_TEAM = 80
MOST_MEMBERS = 20


@transaction.atomic
def replace_entry(*, actor: User, tournament: Tournament, version_id: int, by: int) -> Entry:
    """Let another version play in the place of an entry; its author, team or the organiser may.

    Raises:
        Conflict: `fixed_field` once the tournament has started.
    """
    tournament = Tournament.objects.select_for_update().get(pk=tournament.pk)
    entry = get_entry(tournament, version_id)
    check_may_manage(actor, tournament, entry, to="replace")
    if tournament.state not in UNSTARTED:
        raise Conflict(
            f"{tournament.name} is {tournament.get_state_display()}; one can replace a bot only "
            "until the start: its document, places and proofs name the very files that entered. "
            "Withdraw the bot instead.",
            code="fixed_field",
            allowed=[state.value for state in UNSTARTED],
        )
    version = BotVersion.objects.listed().filter(pk=by).first()
    if version is None:
        raise InvalidInput(f"No such bot version: {by}.", code="unknown_bots", field="by")
    _check_same_side(entry, version)
    checks.check_eligible([version], game=tournament.game)
    if tournament.entries.filter(version=version).exists():
        raise Conflict(
            f"{version.label} has entered or was disqualified here.",
            code="already_entered",
            field="by",
        )
    if actor.pk != tournament.owner_id:
        check_may_enter(tournament, [version], entries=(), actor=actor)
    note_entry("entry.replaced", entry, by=version.pk)
    entry.version = version
    entry.save(update_fields=("version",))
    forget_start_problem(tournament)
    return entry


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
    team = _checked_team(team) if team or members else ""
    people = _checked_members(members)
    entry = enter_tournament(actor=actor, tournament=tournament, version_id=version_id, team=team)
    TeamMember.objects.bulk_create(
        TeamMember(entry=entry, person=person)
        for person in people
        if person.pk != entry.version.bot.owner_id
    )
    return entry


@transaction.atomic
def leave_team(*, actor: User, tournament: Tournament, version_id: int) -> Entry:
    """Take the actor out of the team of an entry; the bot's author cannot leave it."""
    entry = get_entry(tournament, version_id)
    gone, _ = entry.members.filter(person=actor).delete()
    if not gone:
        raise Conflict(
            f"{actor.username} is no member of the team of {entry.version.label}. Its author "
            "withdraws the bot instead.",
            code="not_a_member",
        )
    return entry


def _check_same_side(entry: Entry, version: BotVersion) -> None:
    if entry.state != EntryState.ACTIVE:
        raise Conflict(f"{entry.version.label} takes no part any more.", code="not_in_play")
    side = {entry.version.bot.owner_id, *entry.members.values_list("person", flat=True)}
    if version.bot.owner_id not in side:
        raise NotAllowed(
            f"{version.label} is neither by the author of {entry.version.label} nor by its team.",
            code="not_your_bot",
        )


def _checked_team(name: str) -> str:
    name = " ".join(name.split())
    if not 1 <= len(name) <= LONGEST_TEAM or not name.isprintable():
        raise InvalidInput(
            f"A team has a name of 1 to {LONGEST_TEAM} characters, none of which controls how "
            "text is shown.",
            code="bad_name",
            field="team",
        )
    return name


def _checked_members(usernames: Sequence[str]) -> list[User]:
    if len(usernames) > MOST_MEMBERS:
        raise InvalidInput(f"A team has at most {MOST_MEMBERS} members.", field="members")
    known = {user.username: user for user in User.objects.filter(username__in=usernames)}
    if unknown := [name for name in usernames if name not in known]:
        raise InvalidInput(
            f"There is nobody called {', '.join(map(repr, unknown))}.",
            code="unknown_person",
            field="members",
        )
    return list(known.values())
