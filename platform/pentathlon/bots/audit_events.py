"""Audit events and webhook events about versions of bots."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pentathlon.accounts.audit.models import AuditAction, AuditedKind
from pentathlon.accounts.audit.services import note_action
from pentathlon.accounts.models import User
from pentathlon.bots.models import BotVersion
from pentathlon.webhooks.outbox import listeners, note_event


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


def note_version(event: str, *, version_id: int, path: str = "", **data: Any) -> None:  # Any: JSON
    """Note an event about a version for its author; call it in the transaction of what happened.

    `path` is where the API shows the event's subject, if that is not the version.
    """
    # Most authors want no events; for them, this costs one look at an index.
    if not listeners(event).filter(owner__bots__versions=version_id).exists():
        return
    version = BotVersion.objects.select_related("bot").defer("validation_log").get(pk=version_id)
    note_event(
        event,
        people=[version.bot.owner_id],
        path=path or f"/api/v1/versions/{version.pk}/",
        **version_facts(version),
        **data,
    )


def version_facts(version: BotVersion) -> Mapping[str, Any]:  # Any: JSON
    """Return the facts that every event about a version holds."""
    return {
        "bot": version.bot_id,
        "bot_name": version.bot.name,
        "version": version.pk,
        "version_number": version.number,
    }
