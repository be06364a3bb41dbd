"""Tells organisers, authors and teams by webhook or e-mail what happens to a tournament.

Events contain only what everybody may see: no hidden result and no sealed seed.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from pentathlon.accounts.audit.models import AuditAction, AuditedKind
from pentathlon.accounts.audit.services import note_action
from pentathlon.accounts.models import User
from pentathlon.bots.audit_events import audit_version
from pentathlon.bots.models import BotVersion
from pentathlon.matches.models import Match
from pentathlon.tournaments.models import Entry, Tournament, TournamentState
from pentathlon.tournaments.people_rows import TeamMember
from pentathlon.webhooks.outbox import listeners, note_event

_NOTHING: Final[Mapping[str, str]] = MappingProxyType({})


def note_tournament(
    event: str,
    tournament: Tournament,
    *,
    besides: Collection[int] = (),
    more: Mapping[str, str] = _NOTHING,
) -> None:
    """Note an event for a tournament's organiser and authors, and for given other people."""
    if not listeners(event).exists():
        return
    facts, path = _facts(tournament), f"/api/v1/tournaments/{tournament.pk}/"
    note_event(event, people=_everybody(tournament) | set(besides), path=path, **facts, **more)


def note_offer(tournament: Tournament, person: User) -> None:
    """Note that a tournament is offered to another organiser, alone or to share."""
    path = f"/api/v1/tournaments/{tournament.pk}/handover/"
    note_event("tournament.offered", people={person.pk}, path=path, **_facts(tournament))


def note_change(
    tournament: Tournament, changed: Sequence[str], *, besides: Collection[int] = ()
) -> None:
    """Note that something of a tournament has changed; nobody hears of changes of a draft."""
    if tournament.state == TournamentState.DRAFT:
        return
    note_event(
        "tournament.changed",
        people=_everybody(tournament) | set(besides),
        path=f"/api/v1/tournaments/{tournament.pk}/",
        changed=list(changed),
        **_facts(tournament),
    )


def note_end(tournament: Tournament, *, more: Mapping[str, str] = _NOTHING) -> None:
    """Note that a tournament has closed: an A/B test as a comparison."""
    if tournament.format != "ab_test":
        note_tournament("tournament.finished", tournament, more=more)
        return
    if not listeners("comparison.finished").exists():
        return
    note_event(
        "comparison.finished",
        people=_everybody(tournament),
        path=f"/api/v1/tournaments/{tournament.pk}/",
        kind="tournament",
        **_facts(tournament),
    )


def note_entry(event: str, entry: Entry, *, by: int | None = None) -> None:
    """Note that an entry has left, or that version `by` plays instead of its version."""
    tournament = entry.tournament
    # Nobody but its organiser learns what happens to a draft.
    if tournament.state == TournamentState.DRAFT or not listeners(event).exists():
        return
    people = {*_organisers(tournament), entry.version.bot.owner_id}
    people |= entry.team.member_ids() if entry.team is not None else set()
    replaced = {} if by is None else {"by": by}
    note_event(
        event,
        people=people,
        path=f"/api/v1/tournaments/{tournament.pk}/entries/",
        version=entry.version_id,
        **replaced,
        **_facts(tournament),
    )


def _facts(tournament: Tournament) -> Mapping[str, Any]:  # Any: JSON
    return {
        "tournament": tournament.pk,
        "tournament_name": tournament.name,
        "game": tournament.game,
    }


def _organisers(tournament: Tournament) -> set[int]:
    shared = tournament.co_organisers.values_list("person", flat=True)
    return {tournament.owner_id, *shared}


def _everybody(tournament: Tournament) -> set[int]:
    active = tournament.entries.active()
    members = TeamMember.objects.accepted().filter(team__in=active.values("team"))
    return {
        *_organisers(tournament),
        *active.values_list("version__bot__owner", flat=True),
        *members.values_list("person", flat=True),
    }


def audit_tournament(
    action: AuditAction,
    tournament: Tournament,
    *,
    actor: User,
    reason: str = "",
    **details: Any,  # Any: JSON
) -> None:
    """Write an audit event about a whole tournament, or about a block or round of it."""
    note_action(
        action,
        actor=actor,
        kind=AuditedKind.TOURNAMENT,
        object_id=tournament.pk,
        object_name=tournament.name,
        tournament=tournament.pk,
        reason=reason,
        **details,
    )


def audit_entry(
    action: AuditAction,
    tournament: Tournament,
    version: BotVersion,
    *,
    actor: User,
    reason: str = "",
    **details: Any,  # Any: JSON
) -> None:
    """Write an audit event about an entry of another author."""
    audit_version(action, version, actor=actor, reason=reason, tournament=tournament.pk, **details)


def audit_match(
    action: AuditAction, tournament: Tournament, match: Match, *, actor: User, reason: str
) -> None:
    """Write an audit event about a match of a tournament."""
    note_action(
        action,
        actor=actor,
        kind=AuditedKind.MATCH,
        object_id=match.pk,
        tournament=tournament.pk,
        reason=reason,
    )
