"""Writing the audit log; everything else only reads it."""

from __future__ import annotations

from typing import Any, Final

from django.contrib.auth.models import AbstractBaseUser
from structlog.contextvars import get_contextvars

from pentathlon.accounts.audit.models import LONGEST_REASON, AuditAction, AuditedKind, AuditEvent

_LONGEST_NAME: Final = 200


def note_action(
    action: AuditAction,
    *,
    actor: AbstractBaseUser | None,
    kind: AuditedKind,
    object_id: object,
    object_name: str = "",
    person: AbstractBaseUser | int | None = None,
    tournament: int | None = None,
    reason: str = "",
    **details: Any,  # Any: JSON
) -> AuditEvent:
    """Write down what somebody did; call it in the transaction that does it.

    `actor` None stands for the command line, or for the platform itself. `person` is the person
    affected, or the owner of the bot affected. Neither `object_name` nor `details` may hold a
    secret, or the name of a person, which would outlive the deletion of the account.
    """
    return AuditEvent.objects.create(
        actor_id=None if actor is None else actor.pk,
        action=action,
        kind=kind,
        object_id=str(object_id),
        object_name=object_name[:_LONGEST_NAME],
        person_id=person.pk if isinstance(person, AbstractBaseUser) else person,
        tournament=tournament,
        reason=reason[:LONGEST_REASON],
        details=details,
        request_id=str(get_contextvars().get("request_id", "")),
    )


def note_on_person(
    action: AuditAction,
    *,
    actor: AbstractBaseUser | None,
    person: AbstractBaseUser,
    reason: str = "",
    **details: Any,  # Any: JSON
) -> AuditEvent:
    """Write down what somebody did to an account, as `note_action` does."""
    return note_action(
        action,
        actor=actor,
        kind=AuditedKind.PERSON,
        object_id=person.pk,
        person=person,
        reason=reason,
        **details,
    )
