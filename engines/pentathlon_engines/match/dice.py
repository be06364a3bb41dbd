"""Gives each seat random bits of its own, from which a bot draws what no opponent may foresee.

```
key    PBKDF2-HMAC-SHA256(the match's seed in decimal, "dice:" and the match's name), 1000 rounds
dice   HMAC-SHA256(key, the seat in decimal), its first 64 bits as hexadecimal
```

Everybody is told the name, and the seed stays secret until no match with it can be played any
more. A record has both, so whoever may read it can compute the dice of its match.
"""

from __future__ import annotations

import hmac
from hashlib import pbkdf2_hmac
from typing import Final

_BYTES: Final = 8
_ROUNDS: Final = 1000
"""A seed has 53 bits. The rounds, half a millisecond for a match, make it a thousand times dearer
to try all seeds until one gives the dice that a bot has been told."""


def dice_of(seed: int, *, match: str, seats: int) -> tuple[str, ...]:
    """Return the dice of every seat of a match.

    >>> dice_of(7, match="local", seats=2)
    ('e4f21699178757ca', 'c3b7b5fc1c445d64')
    """
    key = pbkdf2_hmac("sha256", str(seed).encode(), f"dice:{match}".encode(), _ROUNDS)
    return tuple(
        hmac.digest(key, str(seat).encode(), "sha256")[:_BYTES].hex() for seat in range(seats)
    )
