"""Derives the seeds of a tournament so that nobody can know or choose one before its use.

```
secret       256 bits, drawn by the server when the tournament is made
commitment   SHA-256(secret), published at once
event key    HMAC-SHA256(secret, SHA-256(document)), fixed when the tournament starts
seed         HMAC-SHA256(event key, "block:N"), its first 53 bits
alias        HMAC-SHA256(event key, "match:N"), its first 128 bits as hexadecimal
```

The document has the content hashes of the entries, so the secret alone does not give the seeds,
and no author can choose a bot by them. Bots know a match by its alias. With the secret and the
document, everybody can compute all of this again, in any language.

Gives each seat random bits of its own, from which a bot draws what no opponent may foresee.

```
key    PBKDF2-HMAC-SHA256(the match's seed in decimal, "dice:" and the match's name), 1000 rounds
dice   HMAC-SHA256(key, the seat in decimal), its first 64 bits as hexadecimal
```

Everybody is told the name, and the seed stays secret until no match with it can be played any
more. A record has both, so whoever may read it can compute the dice of its match.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterable, Iterator
from hashlib import pbkdf2_hmac, sha256
from typing import Final, TypeVar

SECRET_BYTES: Final = 32

_ALIAS_BYTES: Final = 16
_SEED_BYTES: Final = 7
_SPARE_BITS: Final = 3
"""The bits of 7 bytes beyond the first 53."""
_WORD_BYTES = 8

Item = TypeVar("Item")
_BYTES: Final = 8
_ROUNDS: Final = 1000
"""A seed has 53 bits. The rounds, half a millisecond for a match, make it a thousand times dearer
to try all seeds until one gives the dice that a bot has been told."""


def commitment_to(secret: bytes) -> str:
    """Return the commitment, which is published before the secret is used.

    >>> commitment_to(bytes(32))[:16]
    '66687aadf862bd77'
    """
    return sha256(secret).hexdigest()


def event_key_of(secret: bytes, document_hash: str) -> bytes:
    """Return the key from which all draws of a tournament follow."""
    return hmac.digest(secret, bytes.fromhex(document_hash), "sha256")


def draw(key: bytes, *labels: object) -> int:
    """Return a number below 2**53: the first 53 bits of HMAC-SHA256 over "label:label…".

    >>> draw(bytes(32), "block", 1)
    1761134368123026
    """
    digest = hmac.digest(key, ":".join(map(str, labels)).encode(), "sha256")
    return int.from_bytes(digest[:_SEED_BYTES]) >> _SPARE_BITS


def draw_many(key: bytes, *labels: object) -> Iterator[int]:
    """Yield numbers below 2**64 without end: the words of HMAC-SHA256 over "label:label…:N".

    Each N = 0, 1, … gives four numbers, so this is for callers that need thousands of them.

    >>> next(draw_many(bytes(32), "swiss")) < 2**64
    True
    """
    start = ":".join(map(str, labels))
    block = 0
    while True:
        digest = hmac.digest(key, f"{start}:{block}".encode(), "sha256")
        for place in range(0, len(digest), _WORD_BYTES):
            yield int.from_bytes(digest[place : place + _WORD_BYTES])
        block += 1


def shuffled(items: Iterable[Item], key: bytes, *labels: object) -> list[Item]:
    """Return the items in an order that is drawn from the key."""
    listed = list(items)
    order = sorted(range(len(listed)), key=lambda place: draw(key, *labels, place))
    return [listed[place] for place in order]


def block_seed(key: bytes, block: int) -> int:
    """Return the seed of all matches of a block."""
    return draw(key, "block", block)


def match_alias(key: bytes, index: int) -> str:
    """Return the name of a match that its bots are told."""
    return hmac.digest(key, f"match:{index}".encode(), "sha256")[:_ALIAS_BYTES].hex()


def dice_of(seed: int, *, match: str, seats: int) -> tuple[str, ...]:
    """Return the dice of every seat of a match.

    >>> dice_of(7, match="local", seats=2)
    ('e4f21699178757ca', 'c3b7b5fc1c445d64')
    """
    key = pbkdf2_hmac("sha256", str(seed).encode(), f"dice:{match}".encode(), _ROUNDS)
    return tuple(
        hmac.digest(key, str(seat).encode(), "sha256")[:_BYTES].hex() for seat in range(seats)
    )
