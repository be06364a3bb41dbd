"""The key that signs receipts, derived from the site's secret key and so kept with it."""

from __future__ import annotations

from functools import cache
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings

from pentathlon_engines.transparency.notes import LogKey

_PURPOSE: Final = b"pentathlon receipts"
_NAME_DIGITS: Final = 16


def sign(text: bytes) -> bytes:
    """Return the Ed25519 signature of a text."""
    return _private_key(settings.SECRET_KEY).sign(text)


def log_key() -> LogKey:
    """Return the public key, under a name that is unique to this site's log."""
    public = _private_key(settings.SECRET_KEY).public_key().public_bytes_raw()
    return LogKey(f"pentathlon-{public.hex()[:_NAME_DIGITS]}", public)


@cache
def _private_key(secret: str) -> Ed25519PrivateKey:
    derive = HKDF(algorithm=SHA256(), length=32, salt=None, info=_PURPOSE)
    return Ed25519PrivateKey.from_private_bytes(derive.derive(secret.encode()))
