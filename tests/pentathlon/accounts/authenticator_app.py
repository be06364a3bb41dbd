"""Authenticator apps of people in tests."""

import base64
import time

from cryptography.hazmat.primitives.hashes import SHA1
from cryptography.hazmat.primitives.twofactor.totp import TOTP

from pentathlon.accounts.models import TotpKey, User
from pentathlon.accounts.second_factors import add_totp, new_totp_salt, totp_secret
from tests.pentathlon.accounts.mailing import SITE


def code_of(salt: str, *, at: float | None = None) -> str:
    """Return what an app with this key shows at a time, now if not said."""
    key = base64.b32decode(totp_secret(salt).replace(" ", ""))
    totp = TOTP(key, 6, SHA1(), 30)  # what all apps compute
    return totp.generate(time.time() if at is None else at).decode()


def set_up(person: User) -> tuple[str, list[str]]:
    """Give a person an app; return its salt, and the recovery codes."""
    salt = new_totp_salt()
    return salt, add_totp(actor=person, salt=salt, code=code_of(salt), site=SITE)


def forget_used_codes(person: User) -> None:
    """Let the code that set the app up be good again: tests do not wait for the next."""
    TotpKey.objects.filter(person=person).update(used_step=0)
