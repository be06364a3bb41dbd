"""Audit events about versions of bots."""

from __future__ import annotations

from typing import Any

from pentathlon.accounts.audit.actions import AuditAction, AuditedKind
from pentathlon.accounts.audit.services import note_action
from pentathlon.accounts.models import User
from pentathlon.bots.models import BotVersion


def audit_version(
    action: AuditAction,
    version: BotVersion,
    *,
    actor: User,
    reason: str = "",
    tournament: int | None = None,
    **details: Any,  # Any: JSON
) -> None:
    """Write down an action on another author's version, in one tournament or everywhere."""
    note_action(
        action,
        actor=actor,
        kind=AuditedKind.VERSION,
        object_id=version.pk,
        object_name=version.label,
        person=version.bot.owner_id,
        tournament=tournament,
        reason=reason,
        **details,
    )
