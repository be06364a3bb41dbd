"""Audit events about tournaments."""

from __future__ import annotations

from typing import Any

from pentathlon.accounts.audit.models import AuditAction, AuditedKind
from pentathlon.accounts.audit.services import note_action
from pentathlon.accounts.models import User
from pentathlon.bots.audit_events import audit_version
from pentathlon.bots.models import BotVersion
from pentathlon.matches.models import Match
from pentathlon.tournaments.models import Tournament


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
