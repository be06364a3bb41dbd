"""The links in letters: each is valid for one purpose, once, and for a stated time.

Links are not stored. Each holds a keyed hash of what it will change, so it stops working as soon
as that has changed.
"""

from __future__ import annotations

from typing import Final

from django.contrib.auth.tokens import default_token_generator
from django.core import signing
from django.db.models import F
from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.http import base36_to_int, int_to_base36

from pentathlon.accounts.models import EmailChange, User
from pentathlon.core.errors import InvalidInput

EMAIL_LINK_S: Final = 24 * 3600
"""How long an address may be confirmed; for passwords, see PASSWORD_RESET_TIMEOUT."""
MOST_ACCOUNTS: Final = 5
"""The most accounts of one address: those that it verifies, and a forgotten password's letters."""
_EMAIL: Final = "pentathlon.accounts.email"


def who_forgot(email: str) -> list[User]:
    """Return the people with this verified address who may set a new password by letter."""
    verified = User.objects.filter(email__iexact=email, verified_email=F("email"))
    found = verified.filter(is_active=True).order_by("pk")
    return [person for person in found[:MOST_ACCOUNTS] if person.has_usable_password()]


def reset_link(person: User) -> str:
    """Return the text in a link that lets a person set a new password."""
    return f"{int_to_base36(person.pk)}-{default_token_generator.make_token(person)}"


def find_by_reset_link(link: str) -> User:
    """Return the person whose password a link may set; refuse a used, expired or forged link."""
    number, _, token = link.partition("-")
    try:
        person = User.objects.filter(pk=base36_to_int(number), is_active=True).first()
    except (ValueError, OverflowError):
        person = None
    if person is None or not default_token_generator.check_token(person, token):
        raise _bad_link("an hour, and only until you sign in or set a password")
    return person


def email_link(change: EmailChange) -> str:
    """Return the text in a link that confirms another e-mail address."""
    return signing.dumps([change.pk, _state_of(change)], salt=_EMAIL)


def find_by_email_link(link: str) -> EmailChange:
    """Return the change that a link confirms; refuse a used, expired or forged link."""
    try:
        number, state = signing.loads(link, salt=_EMAIL, max_age=EMAIL_LINK_S)
    except signing.BadSignature:
        number, state = 0, ""
    wanted = EmailChange.objects.select_related("person").filter(person__is_active=True)
    change = wanted.filter(pk=number).first()
    if change is None or not constant_time_compare(state, _state_of(change)):
        raise _bad_link("a day, and only until you ask for another address or set a password")
    return change


def _state_of(change: EmailChange) -> str:
    person = change.person
    facts = f"{change.email} {person.email} {person.password}"
    return salted_hmac(_EMAIL, facts, algorithm="sha256").hexdigest()


def _bad_link(valid: str) -> InvalidInput:
    return InvalidInput(
        f"This link no longer works: it works once, for {valid}. Ask for a new one.",
        code="bad_link",
    )
