"""The outbox of letters and their links: written by services, sent by a step of the reconciler.

A letter is sent at least once; while no mail server answers, it is tried again for a few hours.
"""

from __future__ import annotations

import smtplib
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import Final, NamedTuple
from urllib.parse import urlencode

from django.conf import settings
from django.contrib.auth.tokens import default_token_generator
from django.core import signing
from django.core.mail import EmailMessage, send_mail
from django.core.mail.backends.base import BaseEmailBackend
from django.db.models import F
from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.http import base36_to_int, int_to_base36
from structlog.stdlib import get_logger

from pentathlon.accounts.models import EmailChange, Letter, LetterKind, User
from pentathlon.core.clock import database_now
from pentathlon.core.errors import Conflict, InvalidInput

EMAIL_LINK_S: Final = 24 * 3600
"""How long an address may be confirmed; for passwords, see PASSWORD_RESET_TIMEOUT."""
MOST_ACCOUNTS: Final = 5
"""The most accounts of one address: those that it verifies, and a forgotten password's letters."""
_EMAIL: Final = "pentathlon.accounts.email"
RETRIES_S: Final = (30, 120, 600, 1800, 7200)
"""Seconds that a letter waits after each failed attempt; when all are used, it is given up."""
CONFIRM_AT: Final = "/account/email/confirm/"
RESET_AT: Final = "/sign-in/reset/new/"
"""Where the links in letters lead; a test compares these paths with those of the pages."""
_AT_ONCE: Final = 20
_log = get_logger(__name__)
NO_MAIL: Final = "pentathlon.accounts.letters.NoMail"
"""What `pentathlon.connections.mail` names where production has no server."""


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


def write_letter(kind: LetterKind, *, email: str, site: str, person: User | None = None) -> None:
    """Queue a letter to be sent after the current transaction."""
    Letter.objects.create(kind=kind, email=email, site=site, person=person)


def notify(kind: LetterKind, person: User, *, site: str) -> None:
    """Notify a person by a letter, if they have a verified address."""
    if person.has_verified_email:
        write_letter(kind, email=person.email, site=site, person=person)


def send_letters() -> int:
    """Send the letters that are due; return how many are done with."""
    due = Letter.objects.filter(next_at__lte=database_now()).select_related("person")
    sent = 0
    for letter in due.order_by("next_at", "pk")[:_AT_ONCE]:
        if not _send(letter):
            break  # the next one would wait for the same server
        letter.delete()
        sent += 1
    return sent


def _send(letter: Letter) -> bool:
    try:
        for mail in _mails_of(letter):
            send_mail(f"Pentathlon: {mail.subject}", mail.body, None, [mail.to])
    except (OSError, smtplib.SMTPException, ValueError) as error:
        return _put_off(letter, reason=f"{type(error).__name__}: {error}")
    return True


def _put_off(letter: Letter, *, reason: str) -> bool:
    """Put a letter off to its next try; return True if it is given up instead, after the last."""
    if letter.tries >= len(RETRIES_S):
        _log.error("letter given up", kind=letter.kind, letter=letter.pk, reason=reason)
        return True
    _log.warning("letter not sent", kind=letter.kind, letter=letter.pk, reason=reason)
    letter.next_at = database_now() + timedelta(seconds=RETRIES_S[letter.tries])
    letter.tries += 1
    letter.save(update_fields=("next_at", "tries"))
    return False


class _Mail(NamedTuple):
    to: str
    subject: str
    body: str


def _mails_of(letter: Letter) -> list[_Mail]:
    """Return the e-mails to send for a letter: none if its reason no longer exists."""
    if letter.kind == LetterKind.RESET_PASSWORD:
        return [_reset_mail(person, letter) for person in who_forgot(letter.email)]
    if letter.person is None:
        return []
    if letter.kind == LetterKind.CONFIRM_EMAIL:
        change = EmailChange.objects.filter(person=letter.person, email=letter.email).first()
        return [] if change is None else [_confirmation_mail(change, letter)]
    subject, write = _NOTICES[LetterKind(letter.kind)]
    return [_Mail(letter.email, subject, write(letter.person, letter.site))]


def _reset_mail(person: User, letter: Letter) -> _Mail:
    query = urlencode({"link": reset_link(person)})
    body = (
        f"Somebody asked for a new password for the account {person.username}. Set one here:\n\n"
        f"{letter.site}{RESET_AT}?{query}\n\n"
        "The link works once, for an hour. If it was not you, do nothing: your password stays.\n"
    )
    # To the address that is stored, not to what was typed: lookalikes may compare as equal.
    return _Mail(person.email, "set a new password", body)


def _confirmation_mail(change: EmailChange, letter: Letter) -> _Mail:
    query = urlencode({"link": email_link(change)})
    body = (
        "Somebody wants to use this e-mail address for the account "
        f"{change.person.username}. Confirm it "
        f"here:\n\n{letter.site}{CONFIRM_AT}?{query}\n\n"
        "The link works once, for a day. If it was not you, do nothing.\n"
    )
    return _Mail(change.email, "confirm your address", body)


def _changing(person: User, site: str) -> str:
    return (
        f"Somebody who knows the password of the account {person.username} asked for another "
        "e-mail address. It changes as soon as somebody follows the link in the letter "
        "to the new address.\n\n"
        f"If it was not you, change your password now: {site}/account/password/\n"
        "That stops it.\n"
    )


def _changed(person: User, site: str) -> str:
    return (
        f"The account {person.username} has a new e-mail address now, and no more letters will "
        f"come here.\n\nIf it was not you, tell the people who run {site}/.\n"
    )


def _password_changed(person: User, site: str) -> str:
    return (
        f"The password of the account {person.username} was changed, and all other browsers are "
        f"signed out.\n\nIf it was not you, set a new one: {site}/sign-in/reset/\n"
    )


def _factor_added(person: User, site: str) -> str:
    return (
        f"The account {person.username} has a new second factor: an authenticator app or a "
        f"passkey.\n\nIf it was not you, remove it: {site}/account/second-factors/\n"
    )


def _factor_removed(person: User, site: str) -> str:
    return (
        f"A second factor of the account {person.username} was removed: an authenticator app or "
        f"a passkey.\n\nIf it was not you, set a new password: {site}/sign-in/reset/\n"
    )


_NOTICES: Final[Mapping[LetterKind, tuple[str, Callable[[User, str], str]]]] = {
    LetterKind.EMAIL_CHANGING: ("another address was asked for", _changing),
    LetterKind.EMAIL_CHANGED: ("your address was changed", _changed),
    LetterKind.PASSWORD_CHANGED: ("your password was changed", _password_changed),
    LetterKind.FACTOR_ADDED: ("a second factor was added", _factor_added),
    LetterKind.FACTOR_REMOVED: ("a second factor was removed", _factor_removed),
}


class NoMail(BaseEmailBackend):
    """Refuses every e-mail, so that whoever wants to send one fails and says so."""

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        """Refuse."""
        raise ConnectionError("This site has no mail server: set PENTATHLON_MAIL.")


def can_send_letters() -> bool:
    """Return whether letters of this site arrive anywhere."""
    return settings.EMAIL_BACKEND != NO_MAIL


def demand_mail() -> None:
    """Refuse what only a letter can do."""
    if not can_send_letters():
        raise Conflict(
            "This site has no mail server, so it sends no e-mail. Ask the people who run it.",
            code="no_mail_server",
        )
