"""Signing in a terminal: it shows a code, and a person who has signed in confirms the code.

The shape is that of RFC 8628, so no password is ever typed into a terminal. All refusals of a poll
have the error codes of the RFC.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Collection
from datetime import timedelta
from typing import Final, NamedTuple

from django.db import transaction
from django.db.models import QuerySet

from pentathlon.accounts.models import ApiToken, DeviceLogin, User
from pentathlon.accounts.services import check_token_fields, create_token
from pentathlon.core.clock import database_now
from pentathlon.core.errors import InvalidInput, NotFound

VALID_S: Final = 600
INTERVAL_S: Final = 2
TOKEN_DAYS: Final = 90
_SLOWER_S: Final = 5
"""Seconds added to the interval of a terminal that polls too fast, as the RFC says."""
_EARLY_S: Final = 0.5
"""How early a poll may arrive, since networks delay some polls more than others."""
_LETTERS: Final = "BCDFGHJKLMNPQRSTVWXZ"
"""The letters of codes: no vowels, so that no words come out; there are 20 ** 8 codes."""
_CODE_LENGTH: Final = 8
_EXPIRED_AT_ONCE: Final = 100


class IssuedToken(NamedTuple):
    """The token that a terminal gets, with its secret."""

    token: ApiToken
    secret: str


@transaction.atomic
def begin_device_login(
    *, name: str, scopes: Collection[str], address: str
) -> tuple[DeviceLogin, str]:
    """Start a device login; return the row and the terminal's secret code."""
    name, known = check_token_fields(name=name, scopes=scopes)
    now = database_now()
    expired = DeviceLogin.objects.filter(expires_at__lt=now).order_by("expires_at")
    DeviceLogin.objects.filter(
        pk__in=list(expired[:_EXPIRED_AT_ONCE].values_list("pk", flat=True))
    ).delete()
    device_code = secrets.token_urlsafe(32)
    login = DeviceLogin.objects.create(
        device_digest=_digest(device_code),
        user_code="".join(secrets.choice(_LETTERS) for _ in range(_CODE_LENGTH)),
        name=name,
        scopes=known,
        address=address,
        interval_s=INTERVAL_S,
        expires_at=now + timedelta(seconds=VALID_S),
    )
    return login, device_code


def find_device_login(user_code: str) -> DeviceLogin:
    """Return the terminal that waits with this code, however the code is typed."""
    login = _waiting(user_code).first()
    if login is None:
        raise _no_such_code()
    return login


@transaction.atomic
def answer_device_login(*, actor: User, user_code: str, approves: bool) -> DeviceLogin:
    """Approve or deny the terminal that waits with this code; the first answer counts."""
    login = _waiting(user_code).select_for_update().first()
    if login is None:
        raise _no_such_code()
    login.person = actor
    login.answer = DeviceLogin.Answer.APPROVED if approves else DeviceLogin.Answer.DENIED
    login.save(update_fields=("person", "answer"))
    return login


def poll_device_login(device_code: str) -> IssuedToken:
    """Make the token of a terminal that was approved, once.

    Raises:
        InvalidInput: `authorization_pending`, `slow_down`, `access_denied` or `expired_token`.
    """
    issued = _poll(device_code)
    if isinstance(issued, InvalidInput):
        raise issued
    return issued


@transaction.atomic
def _poll(device_code: str) -> IssuedToken | InvalidInput:
    """Return a refusal instead of raising it, which would roll back what the poll has written."""
    found = DeviceLogin.objects.filter(device_digest=_digest(device_code))
    login = found.select_for_update(of=("self",)).select_related("person").first()
    now = database_now()
    if login is None or login.expires_at < now:
        return _refusal(
            "expired_token", "This login has expired or has already ended. Begin again."
        )
    if login.answer == DeviceLogin.Answer.DENIED:
        login.delete()
        return _refusal("access_denied", "The login was denied in the browser.")
    if login.answer == DeviceLogin.Answer.APPROVED and login.person is not None:
        token, secret = create_token(
            actor=login.person, name=login.name, scopes=login.scopes, days=TOKEN_DAYS
        )
        login.delete()
        return IssuedToken(token, secret)
    wait = timedelta(seconds=login.interval_s - _EARLY_S)
    is_early = login.polled_at is not None and now - login.polled_at < wait
    login.polled_at = now
    login.interval_s += _SLOWER_S * is_early
    login.save(update_fields=("polled_at", "interval_s"))
    if is_early:
        return _refusal("slow_down", f"Poll every {login.interval_s} seconds, not faster.")
    return _refusal("authorization_pending", "The code is not confirmed yet.")


def _waiting(user_code: str) -> QuerySet[DeviceLogin]:
    typed = "".join(letter for letter in user_code.upper() if letter in _LETTERS)
    return DeviceLogin.objects.filter(
        user_code=typed, answer=DeviceLogin.Answer.NONE, expires_at__gte=database_now()
    )


def _no_such_code() -> NotFound:
    return NotFound(
        "No terminal is waiting with this code: codes work once, for ten minutes. "
        "Compare it, or run pentathlon login again.",
        code="no_such_code",
        field="code",
    )


def _refusal(code: str, detail: str) -> InvalidInput:
    return InvalidInput(detail, code=code, field="device_code")


def _digest(device_code: str) -> str:
    return hashlib.sha256(device_code.encode("utf-8", "replace")).hexdigest()
