"""Passwords: changing a password, and setting a new one after the old one was forgotten.

Hashing takes a third of a second, so it is done outside of transactions: SQLite has one writer.
The update compares the old hash, so that of two changes at once only the first succeeds.
"""

from __future__ import annotations

from django.contrib.auth.hashers import make_password
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from structlog.stdlib import get_logger

from pentathlon.accounts.letters import demand_mail, find_by_reset_link, notify, write_letter
from pentathlon.accounts.models import ApiToken, EmailChange, LetterKind, User
from pentathlon.accounts.sessions import end_other_sessions
from pentathlon.core.errors import Conflict, InvalidInput

_log = get_logger(__name__)
FEWEST: int = 4


def check_new_password(password: str, person: User, *, field: str = "password") -> str:
    """Return a password that is hard to guess even for those who know the person, or refuse it."""
    try:
        validate_password(password, person)
    except ValidationError as error:
        raise InvalidInput(" ".join(error.messages), code="weak_password", field=field) from error
    return password


def check_email(email: str) -> str:
    """Return an e-mail address as it is stored, or refuse it."""
    try:
        validate_email(email)
    except ValidationError as error:
        raise InvalidInput(
            f"{email!r} is not an e-mail address.", code="bad_email", field="email"
        ) from error
    return User.objects.normalize_email(email)


def check_own_password(person: User, password: str, *, field: str = "password") -> None:
    """Refuse a password that is not the person's."""
    if not person.check_password(password):
        raise InvalidInput(
            "This is not your password. Type the one that you sign in with.",
            code="wrong_password",
            field=field,
        )


def change_password(
    *, actor: User, old: str, new: str, revokes_tokens: bool, site: str, session: str | None
) -> User:
    """Give the actor another password, and end all sessions but the one with the key `session`.

    Return the actor with the new password.
    """
    check_own_password(actor, old, field="old")
    if old == new:
        raise InvalidInput(
            "This is already your password. Choose another one.",
            code="same_password",
            field="new",
        )
    check_new_password(new, actor, field="new")
    return _set_password(actor, new, revokes_tokens=revokes_tokens, site=site, session=session)


def ask_for_reset(*, email: str, site: str) -> None:
    """Send an e-mail with a link to the owners of an address, if there are any.

    It does the same for every address, so that nobody learns from it who has an account.
    """
    demand_mail()
    write_letter(LetterKind.RESET_PASSWORD, email=check_email(email), site=site)


def hash_for_link(*, link: str, new: str) -> str | None:
    """Return the hash of a new password for `reset_password`, before any transaction.

    Return None where link or password will be refused: nobody else costs the time.
    """
    try:
        return make_password(check_new_password(new, find_by_reset_link(link)))
    except InvalidInput:
        return None


def reset_password(
    *, link: str, new: str, hashed: str | None = None, revokes_tokens: bool, site: str
) -> User:
    """Set the password of the person who got the link, and end all sessions; return the person."""
    person = find_by_reset_link(link)
    check_new_password(new, person, field="new")
    return _set_password(
        person, new, hashed=hashed, revokes_tokens=revokes_tokens, site=site, session=None
    )


def _set_password(
    person: User,
    new: str,
    *,
    hashed: str | None = None,
    revokes_tokens: bool,
    site: str,
    session: str | None,
) -> User:
    before, hashed = person.password, hashed or make_password(new)
    with transaction.atomic():
        if not User.objects.filter(pk=person.pk, password=before).update(password=hashed):
            raise Conflict(
                "The password was changed at the same moment. Sign in with the new one.",
                code="password_changed",
            )
        EmailChange.objects.filter(person=person).delete()
        end_other_sessions(actor=person, kept=session)
        if revokes_tokens:
            ApiToken.objects.filter(user=person).delete()
        notify(LetterKind.PASSWORD_CHANGED, person, site=site)
    person.password = hashed
    _log.info("password changed", person=person.pk, tokens_revoked=revokes_tokens)
    return person


class PasswordVariety:
    """Refuses passwords that repeat a few characters: twelve spaces are long, and no secret."""

    def validate(self, password: str, user: User | None = None) -> None:
        """Raise ValidationError unless the password has enough different non-space characters."""
        if len({character for character in password if not character.isspace()}) < FEWEST:
            raise ValidationError(self.get_help_text(), code="password_without_variety")

    def get_help_text(self) -> str:
        """Describe what a password must have."""
        return f"A password has at least {FEWEST} different characters besides spaces."
