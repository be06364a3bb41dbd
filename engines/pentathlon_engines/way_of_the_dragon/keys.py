"""The one name that equal positions of Way of the Dragon share, however they were reached."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any, Final

_PASSING: Final = frozenset(("last", "moved", "ply", "turn"))
"""Fields that say how a position was reached. Paths differ, so no symmetry can be folded."""


def position_key(seen: dict[str, Any]) -> str:
    """Return the key of an observation: all but the way that led to it."""
    lasting = {name: value for name, value in seen.items() if name not in _PASSING}
    return sha256(json.dumps(lasting, sort_keys=True).encode()).hexdigest()[:32]
