"""Entries of bots before the start, alone or for a team of authors."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction
from django.db.models import Max

from pentathlon.accounts.audit.models import AuditAction
from pentathlon.accounts.models import User
from pentathlon.bots.doors import Door, check_door, objection_at
from pentathlon.bots.models import BotVersion
from pentathlon.bots.services import checked_reason
from pentathlon.core.errors import Conflict, InvalidInput, refuse_all
from pentathlon.matches.hidden_lanes import is_repeated
from pentathlon.tournaments.documents import checks
from pentathlon.tournaments.documents.document import draft_document
from pentathlon.tournaments.entries.eligibility import (
    check_authors,
    check_caps,
    check_may_enter,
    check_not_disqualified,
    lock_teams,
)
from pentathlon.tournaments.entries.withdrawals import forget_start_problem, get_entry
from pentathlon.tournaments.guards import check_state, is_organiser_of, lock, lock_own
from pentathlon.tournaments.models import UNSTARTED, Entry, EntryState, Tournament, TournamentState
from pentathlon.tournaments.notices import audit_entry
from pentathlon.tournaments.people_rows import Team

_LONGEST_REASON = 300


@transaction.atomic
def enter_tournament(
    *, actor: User, tournament: Tournament, version_id: int, team: int | None = None
) -> Entry:
    """Enter a bot version: one's own, alone or for a team, or as the organiser anybody's.

    All members of the team may withdraw and replace it.

    Raises:
        NotAllowed: as `check_door`.
        Conflict: `author_cap` or `team_cap`, among others.
    """
    tournament = lock(tournament, *UNSTARTED, to="enter")
    is_organiser = is_organiser_of(actor, tournament)
    if not is_organiser:
        check_state(tournament, TournamentState.OPEN, to="enter")
    version = checks.find_versions([version_id], game=tournament.game, at="version".format)[0]
    side = _find_team(team)
    lock_teams(version, side)
    if side is not None:
        # Even the organiser speaks for no team but their own.
        check_door(Door.TEAM, version, actor=actor, team=side.member_ids(), field="team")
    else:
        door = Door.ORGANISER if is_organiser else Door.OWN
        check_door(door, version, actor=actor, field="version")
    _check_not_entered(tournament, [version])
    if not is_organiser:
        check_may_enter(tournament, version)
        check_caps(tournament, version, team=side)
    entry = _enter(tournament, [version], team=side)[0]
    if is_organiser and version.bot.owner_id != actor.pk:
        audit_entry(AuditAction.ENTRY_ENTER, tournament, version, actor=actor)
    return entry


def enter_versions(
    tournament: Tournament, versions: Sequence[BotVersion], *, actor: User
) -> list[Entry]:
    """Enter the playable versions of its organiser's list in a locked tournament.

    Raises:
        InvalidInput: one of them may not come in; `Problems` if several may not.
    """
    refused = [objection_at(Door.ORGANISER, version, actor=actor) for version in versions]
    refuse_all(
        [
            InvalidInput(objection.detail, code=objection.code, field=f"versions.{place}")
            for place, objection in enumerate(refused)
            if objection is not None
        ]
    )
    _check_not_entered(tournament, versions)
    return _enter(tournament, versions, team=None)


def _enter(
    tournament: Tournament, versions: Sequence[BotVersion], *, team: Team | None
) -> list[Entry]:
    check_not_disqualified(tournament, versions)
    check_authors(tournament, versions)
    numbers = list(tournament.entries.scheduled().values_list("number", flat=True))
    checks.check_size(draft_document(tournament), bots=len(numbers) + len(versions))
    # Withdrawn entries leave gaps in the numbers until the start.
    first = max((number or 0 for number in numbers), default=-1) + 1
    forget_start_problem(tournament)
    return Entry.objects.bulk_create(
        Entry(tournament=tournament, version=version, number=number, team=team)
        for number, version in enumerate(versions, start=first)
    )


def _find_team(team_id: int | None) -> Team | None:
    if team_id is None:
        return None
    team = Team.objects.filter(pk=team_id).first()
    if team is None:
        raise InvalidInput(f"There is no team {team_id}.", code="unknown_team", field="team")
    return team


def _check_not_entered(tournament: Tournament, versions: Sequence[BotVersion]) -> None:
    entered = set(tournament.entries.scheduled().values_list("version", flat=True))
    if again := [version.label for version in versions if version.pk in entered]:
        raise Conflict(
            f"Already entered: {', '.join(again)}.", code="already_entered", field="versions"
        )


@transaction.atomic
def reinstate_entry(*, actor: User, tournament: Tournament, version_id: int, reason: str) -> Entry:
    """Lift the disqualification of a bot version; only the organiser may, and says why.

    The entry keeps on record the reason of its disqualification, who lifted it, and why.
    """
    tournament = lock_own(actor, tournament, *UNSTARTED, to="reinstate a bot of")
    entry = get_entry(tournament, version_id)
    reason = checked_reason(reason)
    if entry.state != EntryState.DISQUALIFIED:
        raise Conflict(f"{entry.version.label} is not disqualified.", code="not_disqualified")
    checks.check_eligible(
        [entry.version],
        game=tournament.game,
        field="version",
        is_repeat=is_repeated(tournament.pk),
    )
    entered = tournament.entries.scheduled()
    checks.check_size(draft_document(tournament), bots=entered.count() + 1)
    last = entered.aggregate(last=Max("number"))["last"]
    entry.number = 0 if last is None else last + 1
    told = f"Reinstated by {actor.username}: {reason} It was disqualified: {entry.reason}"
    entry.state, entry.reason = EntryState.ACTIVE, told[:_LONGEST_REASON]
    entry.left_at, entry.left_by, entry.revokes_results = None, None, False
    entry.save()
    audit_entry(AuditAction.ENTRY_REINSTATE, tournament, entry.version, actor=actor, reason=reason)
    forget_start_problem(tournament)
    return entry
