"""Secrets and signatures by the Standard Webhooks convention, with that project's library.

A secret is derived from a salt in the row and the key of this installation, so a copy of the
database alone signs nothing. Price: another `PENTATHLON_SECRET_KEY` changes all secrets.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from django.utils.crypto import salted_hmac
from standardwebhooks.webhooks import Webhook

PREFIX: Final = "whsec_"
_PURPOSE: Final = "pentathlon.webhooks.secret"


def secret_of(salt: str) -> str:
    """Return the secret that belongs to a salt, as its owner is shown it once."""
    return PREFIX + base64.b64encode(_key(salt)).decode()


def signed_headers(
    *, message_id: str, sent_at: datetime, body: bytes, salts: Sequence[str]
) -> dict[str, str]:
    """Return the three headers of a message, with a signature by each of the valid secrets."""
    text = body.decode()
    signatures = (Webhook(_key(salt)).sign(message_id, sent_at, text) for salt in salts)
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(int(sent_at.timestamp())),
        "webhook-signature": " ".join(signatures),
    }


def _key(salt: str) -> bytes:
    return salted_hmac(_PURPOSE, salt, algorithm="sha256").digest()
