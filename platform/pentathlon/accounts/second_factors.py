"""Second factors: an authenticator app, passkeys, and recovery codes for those who lose them.

Whoever has an app or a passkey is asked for it after the password. Recovery codes exist as long as
one of the two does.
"""

from __future__ import annotations

import base64
import secrets
import time
from typing import Final

from cryptography.hazmat.primitives.hashes import SHA1
from cryptography.hazmat.primitives.twofactor.totp import TOTP
from django.db import transaction
from django.utils.crypto import constant_time_compare, salted_hmac
from structlog.stdlib import get_logger

from pentathlon.accounts.audit.models import AuditAction
from pentathlon.accounts.audit.services import note_on_person
from pentathlon.accounts.letters import notify
from pentathlon.accounts.models import LetterKind, Passkey, RecoveryCode, TotpKey, User
from pentathlon.core.errors import Conflict, InvalidInput, NotFound

RECOVERY_CODES: Final = 10
_DIGITS, _STEP_S = 6, 30
_KEY_BYTES: Final = 20
_CLOCKS_DIFFER: Final = (0, -1, 1)
"""The steps by which a telephone's clock may be off."""
_LETTERS: Final = "BCDFGHJKLMNPQRSTVWXZ23456789"
"""The characters of codes: no vowels, so no words; none that look like another character."""
_CODE_LENGTH: Final = 10
_TOTP: Final = "pentathlon.accounts.totp"
_RECOVERY: Final = "pentathlon.accounts.recovery"

_log = get_logger(__name__)


def has_second_factor(person: User) -> bool:
    """Return whether the person is asked for more than a password."""
    return (
        TotpKey.objects.filter(person=person).exists()
        or Passkey.objects.filter(person=person).exists()
    )


def new_totp_salt() -> str:
    """Return a salt for the key of an app that is still to be confirmed."""
    return secrets.token_hex(16)


def totp_secret(salt: str) -> str:
    """Return the key that a person types into an app, in groups of four."""
    text = base64.b32encode(_totp_key(salt)).decode()
    return " ".join(text[start : start + 4] for start in range(0, len(text), 4))


def totp_address(salt: str, person: User, *, site_name: str) -> str:
    """Return the address that an app reads from a QR code."""
    return _totp(salt).get_provisioning_uri(person.username, f"Pentathlon {site_name}")


def add_totp(*, actor: User, salt: str, code: str, site: str) -> list[str]:
    """Ask the actor for codes of an app from now on; return recovery codes if there were none."""
    step = _step_of(salt, _plain(code))
    if step is None:
        raise _wrong_code("Type the six digits that the app shows now")
    with transaction.atomic():
        User.objects.select_for_update().get(pk=actor.pk)
        if TotpKey.objects.filter(person=actor).exists():
            raise Conflict(
                "You have an authenticator app already. Remove it first.", code="totp_exists"
            )
        TotpKey.objects.create(person=actor, salt=salt, used_step=step)
        return note_added_factor(actor, site=site)


@transaction.atomic
def remove_totp(*, actor: User, site: str) -> None:
    """Stop asking the actor for codes of an app."""
    removed, _ = TotpKey.objects.filter(person=actor).delete()
    if not removed:
        raise NotFound("You have no authenticator app.")
    note_removed_factor(actor, site=site)


@transaction.atomic
def renew_recovery_codes(*, actor: User) -> list[str]:
    """Make new recovery codes in place of those that the actor has, and return them."""
    User.objects.select_for_update().get(pk=actor.pk)
    if not has_second_factor(actor):
        raise Conflict(
            "Recovery codes belong to a second factor. Add an app or a passkey first.",
            code="no_second_factor",
        )
    _log.info("recovery codes renewed", person=actor.pk)
    return _new_codes(actor)


@transaction.atomic
def reset_second_factors(*, actor: User, person: User, site: str) -> bool:
    """Remove all second factors of a person who has lost them; only staff may.

    Return whether there were any.
    """
    had_any = has_second_factor(person)
    for model in (TotpKey, Passkey, RecoveryCode):
        model._default_manager.filter(person=person).delete()
    if had_any:
        note_on_person(AuditAction.FACTORS_RESET, actor=actor, person=person)
        notify(LetterKind.FACTOR_REMOVED, person, site=site)
    return had_any


@transaction.atomic
def take_code(*, person: User, code: str) -> None:
    """Accept a code of the person's app, or a recovery code; each is valid once."""
    typed = _plain(code)
    if not (_take_totp(person, typed) or _take_recovery_code(person, typed)):
        raise _wrong_code("Type the six digits that your app shows now, or a recovery code")


def note_added_factor(person: User, *, site: str) -> list[str]:
    """Note that the person has one more factor; return recovery codes if there were none."""
    notify(LetterKind.FACTOR_ADDED, person, site=site)
    _log.info("second factor added", person=person.pk)
    has_codes = RecoveryCode.objects.filter(person=person).exists()
    return [] if has_codes else _new_codes(person)


def note_removed_factor(person: User, *, site: str) -> None:
    """Note that the person has one factor less; delete the recovery codes with the last one."""
    notify(LetterKind.FACTOR_REMOVED, person, site=site)
    _log.info("second factor removed", person=person.pk)
    if not has_second_factor(person):
        RecoveryCode.objects.filter(person=person).delete()


def _take_totp(person: User, typed: str) -> bool:
    key = TotpKey.objects.filter(person=person).first()
    step = None if key is None else _step_of(key.salt, typed)
    # Of two requests with the same code, only the first finds an older step.
    fresh = TotpKey.objects.filter(person=person, used_step__lt=step or 0)
    return step is not None and bool(fresh.update(used_step=step))


def _take_recovery_code(person: User, typed: str) -> bool:
    if len(typed) != _CODE_LENGTH:
        return False
    found = RecoveryCode.objects.filter(person=person, digest=_digest(person, typed))
    taken = bool(found.delete()[0])
    if taken:
        _log.info("recovery code used", person=person.pk)
    return taken


def _new_codes(person: User) -> list[str]:
    RecoveryCode.objects.filter(person=person).delete()
    codes = [_random_code() for _ in range(RECOVERY_CODES)]
    RecoveryCode.objects.bulk_create(
        RecoveryCode(person=person, digest=_digest(person, _plain(code))) for code in codes
    )
    return codes


def _random_code() -> str:
    letters = "".join(secrets.choice(_LETTERS) for _ in range(_CODE_LENGTH))
    half = _CODE_LENGTH // 2
    return f"{letters[:half]}-{letters[half:]}"


def _plain(code: str) -> str:
    return "".join(character for character in code.upper() if character.isalnum())


def _digest(person: User, typed: str) -> str:
    return salted_hmac(_RECOVERY, f"{person.pk} {typed}", algorithm="sha256").hexdigest()


def _step_of(salt: str, typed: str) -> int | None:
    """Return the step for which an app with this key shows the code; None if there is none."""
    if len(typed) != _DIGITS or not typed.isascii():
        return None
    now = int(time.time()) // _STEP_S
    for step in (now + offset for offset in _CLOCKS_DIFFER):
        if constant_time_compare(_totp(salt).generate(step * _STEP_S).decode(), typed):
            return step
    return None


def _totp(salt: str) -> TOTP:
    return TOTP(_totp_key(salt), _DIGITS, SHA1(), _STEP_S)  # noqa: S303  what all apps compute


def _totp_key(salt: str) -> bytes:
    return salted_hmac(_TOTP, salt, algorithm="sha256").digest()[:_KEY_BYTES]


def _wrong_code(what: str) -> InvalidInput:
    return InvalidInput(
        f"This code is wrong, too old, or used before. {what}. Is the clock of your telephone "
        "right?",
        code="wrong_code",
        field="code",
    )
