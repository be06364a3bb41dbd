"""Verifying and changing the e-mail address of an account: letters go to no other.

An address to be verified waits like one that a person wants to change to: the same letter, and the
same link, confirm both.
"""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Final

from django.conf import settings
from django.db import transaction
from django.db.models import F, QuerySet
from django.db.models.functions import Now
from structlog.stdlib import get_logger

from pentathlon.accounts.letters import (
    MOST_ACCOUNTS,
    demand_mail,
    find_by_email_link,
    notify,
    write_letter,
)
from pentathlon.accounts.models import EmailChange, LetterKind, User
from pentathlon.accounts.passwords import check_email, check_own_password
from pentathlon.core.errors import Conflict, InvalidInput, NotAllowed

_DOTLESS: Final = ("gmail.com", "googlemail.com")
"""Domains that deliver an address with dots to the one without."""
_SENT_AGAIN = timedelta(seconds=10)
"""How long a form that is sent again is the same form."""
_log = get_logger(__name__)


def unverified() -> QuerySet[User]:
    """Return the people who may not play rated matches, because nobody knows who they are.

    These are people without a verified address, unless they have a role or an organiser vouches
    for them. Where the site sends no mail, and on one's own machine, there are none.
    """
    if not settings.DEMANDS_VERIFIED_EMAIL:
        return User.objects.none()
    strangers = User.objects.exclude(email=F("verified_email")).filter(is_vouched=False)
    return strangers.filter(is_organiser=False, is_staff=False, is_superuser=False)


def check_may_play_rated(person: User, *, field: str | None = None) -> None:
    """Refuse rated matches to a person without a verified address.

    Raises:
        NotAllowed: `email_not_verified`.
    """
    if not person.may_play_rated:
        raise NotAllowed(
            f"{person.username} has no verified e-mail address, and rated matches need one. "
            "Follow the link in our e-mail to it, have it sent again under Account, E-mail, or "
            "ask an organiser to vouch for the account.",
            code="email_not_verified",
            field=field,
        )


def check_mailbox(email: str) -> None:
    """Refuse an address whose mailbox has verified as many accounts as one may.

    Tags after a plus, and dots where the provider ignores them, make no other mailbox.
    """
    if not settings.DEMANDS_VERIFIED_EMAIL:
        return
    same = User.objects.filter(is_active=True, verified_email__iregex=_mailbox(email))
    if same.count() >= MOST_ACCOUNTS:
        raise Conflict(
            f"{MOST_ACCOUNTS} accounts use the mailbox of {email} already, the maximum. Use "
            "another address, or delete one of those accounts.",
            code="mailbox_full",
        )


def _mailbox(email: str) -> str:
    """Return a pattern of all addresses that are delivered to the same mailbox."""
    name, _, domain = email.lower().rpartition("@")
    name = name.partition("+")[0] or name
    letters, domains = [name], [domain]
    if domain in _DOTLESS:
        letters, domains = list(name.replace(".", "")), list(_DOTLESS)
    local = r"\.?".join(map(re.escape, letters))
    return rf"^{local}(\+[^@]*)?@({'|'.join(map(re.escape, domains))})$"


@transaction.atomic
def ask_for_verification(*, actor: User, site: str) -> EmailChange:
    """Send an e-mail to the actor's own address; its link verifies the address."""
    demand_mail()
    if not actor.email:
        raise Conflict(
            "Your account has no e-mail address. Enter one on your account page.", code="no_email"
        )
    if actor.has_verified_email:
        raise Conflict(f"{actor.email} is verified already.", code="email_verified")
    wanted, _ = EmailChange.objects.update_or_create(person=actor, defaults={"email": actor.email})
    write_letter(LetterKind.CONFIRM_EMAIL, person=actor, email=actor.email, site=site)
    return wanted


def ask_for_email_change(*, actor: User, email: str, password: str, site: str) -> EmailChange:
    """Send a letter to the new address and one to the old; only the link changes it."""
    demand_mail()
    check_own_password(actor, password)
    email = check_email(email)
    if email == actor.email and actor.has_verified_email:
        raise InvalidInput(
            "This is already your address. Type another one.",
            code="same_email",
            field="email",
        )
    with transaction.atomic():
        asked = EmailChange.objects.filter(person=actor)
        same = asked.filter(email=email, asked_at__gte=Now() - _SENT_AGAIN).first()
        if same is not None:  # a double click sends one letter
            return same
        asked.delete()
        change = EmailChange.objects.create(person=actor, email=email)
        write_letter(LetterKind.CONFIRM_EMAIL, person=actor, email=email, site=site)
        notify(LetterKind.EMAIL_CHANGING, actor, site=site)
    return change


@transaction.atomic
def cancel_email_change(*, actor: User) -> None:
    """Forget the address that the actor has asked for, if there is one."""
    EmailChange.objects.filter(person=actor).delete()


@transaction.atomic
def confirm_email_change(*, link: str, site: str) -> User:
    """Give a person the address that a link to it was sent to; return the person."""
    change = find_by_email_link(link)
    if change.email != change.person.verified_email:
        check_mailbox(change.email)
    person, before = change.person, change.person.email
    is_told = person.has_verified_email and before != change.email
    changed = User.objects.filter(pk=person.pk, email=before, password=person.password)
    if not changed.update(email=change.email, verified_email=change.email):
        raise Conflict(
            "The account was changed at the same moment. Ask for the new address again.",
            code="account_changed",
        )
    change.delete()
    person.email = person.verified_email = change.email
    if is_told:
        write_letter(LetterKind.EMAIL_CHANGED, person=person, email=before, site=site)
    _log.info("e-mail address changed", person=person.pk)
    return person
