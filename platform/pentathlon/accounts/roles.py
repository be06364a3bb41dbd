"""Roles of people, and the closing of accounts: what staff decide, each with a reason.

The role of an organiser is given by staff, that of staff by a superuser; organisers vouch, too.
Nobody takes a role from themselves, so that a site is not left without anybody who can give it
back.
"""

from __future__ import annotations

from typing import Final

from django.db import transaction
from django.db.models import TextChoices

from pentathlon.accounts.audit.models import AuditAction
from pentathlon.accounts.audit.services import note_on_person
from pentathlon.accounts.models import User
from pentathlon.core.errors import Conflict, InvalidInput, NotAllowed

LONGEST_REASON: Final = 200


class PersonRole(TextChoices):
    """Roles that a person may have besides author."""

    ORGANISER = "organiser", "organiser"
    STAFF = "staff", "staff"
    VOUCHED = "vouched", "vouched author"
    """May play rated matches without a verified address."""


_FIELDS: Final = {
    PersonRole.ORGANISER: "is_organiser",
    PersonRole.STAFF: "is_staff",
    PersonRole.VOUCHED: "is_vouched",
}


def is_staff(person: User) -> bool:
    """Return whether somebody runs this site."""
    return person.is_staff or person.is_superuser


def has_role(person: User, role: PersonRole) -> bool:
    """Return whether somebody has a role now."""
    return bool(getattr(person, _FIELDS[role]))


@transaction.atomic
def give_role(*, actor: User, person: User, role: PersonRole, reason: str) -> User:
    """Give somebody a role."""
    return _set_role(actor, person, role, reason, given=True)


@transaction.atomic
def take_role(*, actor: User, person: User, role: PersonRole, reason: str) -> User:
    """Take a role from somebody else."""
    return _set_role(actor, person, role, reason, given=False)


@transaction.atomic
def close_account(*, actor: User, person: User, reason: str) -> User:
    """Close an account: neither sessions nor tokens work; everything else stays."""
    return _set_open(actor, person, reason, is_open=False)


@transaction.atomic
def reopen_account(*, actor: User, person: User, reason: str) -> User:
    """Reopen a closed account."""
    return _set_open(actor, person, reason, is_open=True)


def note_roles(*, actor: User, person: User, before: dict[str, bool]) -> None:
    """Write down the roles that an edit in the administration has given or taken."""
    for role, field in _FIELDS.items():
        now = bool(getattr(person, field))
        if field in before and before[field] != now:
            action = AuditAction.ROLE_GIVE if now else AuditAction.ROLE_TAKE
            note_on_person(action, actor=actor, person=person, role=role.value)
    if before.get("is_active", person.is_active) != person.is_active:
        action = AuditAction.PERSON_REOPEN if person.is_active else AuditAction.PERSON_CLOSE
        note_on_person(action, actor=actor, person=person)


def check_may_manage_person(actor: User, person: User, *, role: PersonRole | None = None) -> None:
    """Refuse an actor who may not decide about this account, or about this role.

    Raises:
        NotAllowed: `staff_only`, or `superusers_only` for accounts of staff.
    """
    vouches = actor.is_organiser and role == PersonRole.VOUCHED
    if not is_staff(actor) and not vouches:
        raise NotAllowed("Only for the staff of this site.", code="staff_only")
    if is_staff(person) and not actor.is_superuser:
        raise NotAllowed(
            f"{person.username} is staff: only a superuser may decide about that account.",
            code="superusers_only",
        )


def _set_role(actor: User, person: User, role: PersonRole, reason: str, *, given: bool) -> User:
    locked = _lock(actor, person, role=role)
    if role == PersonRole.STAFF and not actor.is_superuser:
        raise NotAllowed("Only a superuser may appoint staff.", code="superusers_only")
    reason = _check_reason(reason)
    field = _FIELDS[role]
    if getattr(locked, field) == given:
        raise Conflict(
            f"{locked.username} {'has' if given else 'does not have'} the role {role} already.",
            code="no_change",
        )
    setattr(locked, field, given)
    locked.save(update_fields=(field,))
    action = AuditAction.ROLE_GIVE if given else AuditAction.ROLE_TAKE
    note_on_person(action, actor=actor, person=locked, reason=reason, role=role.value)
    return locked


def _set_open(actor: User, person: User, reason: str, *, is_open: bool) -> User:
    locked = _lock(actor, person)
    reason = _check_reason(reason)
    if locked.is_active == is_open:
        state = "open" if is_open else "closed"
        raise Conflict(f"The account of {locked.username} is {state} already.", code="no_change")
    locked.is_active = is_open
    locked.save(update_fields=("is_active",))
    action = AuditAction.PERSON_REOPEN if is_open else AuditAction.PERSON_CLOSE
    note_on_person(action, actor=actor, person=locked, reason=reason)
    return locked


def _lock(actor: User, person: User, *, role: PersonRole | None = None) -> User:
    if actor.pk == person.pk:
        raise NotAllowed("You cannot decide about your own account.", code="own_account")
    check_may_manage_person(actor, person, role=role)
    return User.objects.select_for_update().get(pk=person.pk)


def _check_reason(reason: str) -> str:
    reason = reason.strip()
    if not 1 <= len(reason) <= LONGEST_REASON or not reason.isprintable():
        raise InvalidInput(
            f"Say why in 1 to {LONGEST_REASON} printable characters: the audit log keeps it.",
            code="required",
            field="reason",
        )
    return reason
