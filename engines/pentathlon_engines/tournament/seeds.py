"""Where the seeds of a tournament come from: nobody can know or choose one before it is used.

```
secret       256 bits, drawn by the server when the tournament is made
commitment   SHA-256(secret), published at once
event key    HMAC-SHA256(secret, SHA-256(document)), fixed when the tournament starts
seed         HMAC-SHA256(event key, "block:N"), its first 53 bits
alias        HMAC-SHA256(event key, "match:N"), its first 128 bits as hexadecimal
```

The document names the entrants by the hashes of their files, so the secret alone does not give the
seeds, and nobody who enters a bot can aim at them. The alias is what bots are told a match is
called. Whoever has the secret and the document can compute all of it again in any language.
"""

from __future__ import annotations

import hmac
from hashlib import sha256
from typing import Final

SECRET_BYTES: Final = 32

_ALIAS_BYTES: Final = 16
_SEED_BYTES: Final = 7
_SPARE_BITS: Final = 3
"""What 7 bytes have beyond 53 bits."""


def commitment_to(secret: bytes) -> str:
    """Return what is published of a secret before it is used.

    >>> commitment_to(bytes(32))[:16]
    '66687aadf862bd77'
    """
    return sha256(secret).hexdigest()


def event_key_of(secret: bytes, document_hash: str) -> bytes:
    """Return the key that everything drawn in a tournament follows from."""
    return hmac.digest(secret, bytes.fromhex(document_hash), "sha256")


def draw(key: bytes, *labels: object) -> int:
    """Return a number below 2**53: the first 53 bits of HMAC-SHA256 over "label:label…".

    >>> draw(bytes(32), "block", 1)
    1761134368123026
    """
    digest = hmac.digest(key, ":".join(map(str, labels)).encode(), "sha256")
    return int.from_bytes(digest[:_SEED_BYTES]) >> _SPARE_BITS


def block_seed(key: bytes, block: int) -> int:
    """Return the seed of all matches of a block."""
    return draw(key, "block", block)


def match_alias(key: bytes, index: int) -> str:
    """Return what the bots of a match are told it is called."""
    return hmac.digest(key, f"match:{index}".encode(), "sha256")[:_ALIAS_BYTES].hex()
