"""Passkeys (WebAuthn): people make, name and remove them, and sign in with them.

The package `fido2` checks what browsers answer. We keep public keys, and no attestations: any
authenticator will do.
"""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from cryptography.exceptions import UnsupportedAlgorithm
from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.crypto import salted_hmac
from fido2.cose import CoseKey
from fido2.server import Fido2Server
from fido2.webauthn import (
    AttestedCredentialData,
    AuthenticationResponse,
    PublicKeyCredentialRpEntity,
    PublicKeyCredentialUserEntity,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)
from structlog.stdlib import get_logger

from pentathlon.accounts.models import Passkey, User
from pentathlon.accounts.second_factors import (
    has_second_factor,
    note_added_factor,
    note_removed_factor,
    take_code,
)
from pentathlon.accounts.services import passkey_quota
from pentathlon.core.errors import Conflict, InvalidInput, NotFound

LONGEST_NAME: Final = 60
LARGEST_ANSWER: Final = 32 * 1024
_ALGORITHM: Final = 3
"""The label under which a COSE key names its algorithm."""
_USER: Final = "pentathlon.accounts.passkey"
_UNREADABLE: Final = (
    *(ValueError, TypeError, LookupError, AttributeError, AssertionError),
    *(ArithmeticError, RuntimeError, struct.error, UnsupportedAlgorithm),
)
"""The errors that the package raises for answers that no browser gives."""

Json = dict[str, Any]  # Any: what travels as JSON
_log = get_logger(__name__)


def begin_passkey(person: User, *, host: str) -> tuple[Json, Json]:
    """Return what the browser needs to make a passkey, and the state to keep until it answers."""
    options, state = _server(host).register_begin(
        PublicKeyCredentialUserEntity(
            id=salted_hmac(_USER, str(person.pk), algorithm="sha256").digest(),
            name=person.username,
            display_name=person.username,
        ),
        credentials=[_credential(passkey) for passkey in _of(person, host)],
        # With a resident key, a person can sign in without a username if the authenticator can.
        resident_key_requirement=ResidentKeyRequirement.PREFERRED,
        user_verification=UserVerificationRequirement.PREFERRED,
    )
    return dict(options), {**state, "host": host}


def add_passkey(
    *, actor: User, name: str, answer: str, state: Json | None, site: str
) -> tuple[Passkey, list[str]]:
    """Keep a new passkey of the actor; return it, and recovery codes if there were none."""
    name = _check_name(name)
    host = _host_of(state)
    try:
        made = _server(host).register_complete(state, _read(answer))
    except _UNREADABLE as error:
        raise _not_ours(error) from error
    data = made.credential_data
    if data is None or data.public_key.get(_ALGORITHM) not in CoseKey.supported_algorithms():
        raise _not_ours(ValueError("no key that this site can check"))
    digest = hashlib.sha256(data.credential_id).hexdigest()
    with transaction.atomic():
        User.objects.select_for_update().get(pk=actor.pk)
        passkeys = passkey_quota(actor)
        passkeys.check_left(f"You have {passkeys.limit} passkeys, the maximum. Remove one first.")
        if Passkey.objects.filter(digest=digest).exists():
            raise Conflict("This passkey is already registered.", code="passkey_exists")
        passkey = Passkey.objects.create(
            person=actor,
            name=name,
            host=host,
            digest=digest,
            credential=bytes(data),
            sign_count=made.counter,
        )
        return passkey, note_added_factor(actor, site=site)


@transaction.atomic
def remove_passkey(*, actor: User, passkey_id: int, site: str) -> None:
    """Forget one of the actor's passkeys: nobody can sign in with it any more."""
    removed, _ = Passkey.objects.filter(person=actor, pk=passkey_id).delete()
    if not removed:
        raise NotFound("You have no such passkey.")
    note_removed_factor(actor, site=site)


def begin_check(*, host: str, person: User | None = None) -> tuple[Json, Json]:
    """Return what the browser needs to show a passkey, and the state to keep until it answers.

    Without a person, the browser offers the passkeys that it knows, and the authenticator has to
    verify its owner, because no password was asked for.
    """
    known = None if person is None else [_credential(passkey) for passkey in _of(person, host)]
    needs = UserVerificationRequirement
    options, state = _server(host).authenticate_begin(
        known, user_verification=needs.REQUIRED if person is None else needs.PREFERRED
    )
    return dict(options), {**state, "host": host}


def check_passkey(*, answer: str, state: Json | None, person: User | None = None) -> User:
    """Return the owner of a passkey that was shown; with a person, refuse passkeys of others."""
    host = _host_of(state)
    try:
        response = AuthenticationResponse.from_dict(_read(answer))
        digest = hashlib.sha256(response.raw_id).hexdigest()
        found = Passkey.objects.select_related("person").filter(host=host, digest=digest).first()
        if found is None or not found.person.is_active or found.person != (person or found.person):
            raise InvalidInput(
                "This site does not know this passkey, or it belongs to another account. Choose "
                "another one, or sign in with your password.",
                code="unknown_passkey",
            )
        _server(host).authenticate_complete(state, [_credential(found)], response)
        count = response.response.authenticator_data.counter
    except _UNREADABLE as error:
        raise _not_ours(error) from error
    _count(found, count)
    return found.person


def check_second_factor(
    person: User, *, code: str = "", answer: str = "", state: Json | None = None
) -> None:
    """Refuse somebody who has a second factor and shows neither a passkey nor a good code.

    Raises:
        InvalidInput: `second_factor_required`, or the reason why the passkey or code is refused.
    """
    if not has_second_factor(person):
        return
    if answer:
        check_passkey(answer=answer, state=state, person=person)
    elif code:
        take_code(person=person, code=code)
    else:
        raise InvalidInput(
            "This account has a second factor. Type a code of your app or a recovery code, or "
            "show a passkey on the page.",
            code="second_factor_required",
            field="code",
        )


def _count(passkey: Passkey, count: int) -> None:
    """Note a signature; refuse a count that has not grown: it comes from a copy of the key."""
    is_fresh = Q(sign_count__lt=count) if count else Q(sign_count=0)
    fresh = Passkey.objects.filter(is_fresh, pk=passkey.pk)
    if not fresh.update(sign_count=count, last_used_at=Now()):
        _log.warning("passkey may be a copy", passkey=passkey.pk, person=passkey.person_id)
        raise InvalidInput(
            "The signature counter of this passkey has not grown: it may be a copy. Use another "
            "one, and remove it.",
            code="copied_passkey",
        )


def _of(person: User, host: str) -> list[Passkey]:
    return list(Passkey.objects.filter(person=person, host=host).order_by("pk"))


def _credential(passkey: Passkey) -> AttestedCredentialData:
    return AttestedCredentialData(bytes(passkey.credential))


def _server(host: str) -> Fido2Server:
    return Fido2Server(
        PublicKeyCredentialRpEntity(id=host, name="Pentathlon"),
        verify_origin=lambda origin: _is_ours(origin, host),
    )


def _is_ours(origin: str, host: str) -> bool:
    """Return whether a page of exactly this host asked, over TLS or on this machine."""
    parts = urlsplit(origin)
    return parts.hostname == host and (parts.scheme == "https" or host == "localhost")


def _host_of(state: Json | None) -> str:
    if state is None:
        raise InvalidInput(
            "This took too long, or was sent twice. Try again.", code="no_challenge"
        )
    return str(state["host"])


def _read(answer: str) -> Mapping[str, Any]:
    if len(answer) > LARGEST_ANSWER:
        raise ValueError("too long")
    read = json.loads(answer)
    if not isinstance(read, dict):
        raise TypeError("no object")
    return read


def _check_name(name: str) -> str:
    name = name.strip()
    if not 1 <= len(name) <= LONGEST_NAME or not name.isprintable():
        raise InvalidInput(
            f"A passkey has a name of 1 to {LONGEST_NAME} printable characters.", field="name"
        )
    return name


def _not_ours(error: Exception) -> InvalidInput:
    _log.info("passkey refused", reason=str(error))
    return InvalidInput(
        "What your browser sent cannot be verified. Load the page again, and try once more.",
        code="bad_passkey",
    )
