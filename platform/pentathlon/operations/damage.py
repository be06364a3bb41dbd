"""All that is stored with a hash, a chain or a signature by which damage to it is seen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from pentathlon.core.integrity import (
    Kept,
    KeptArchives,
    KeptReceipts,
    KeptReplays,
    KeptRoots,
    KeptTiles,
)

KINDS: Final[Sequence[Kept[Any]]] = (
    KeptReplays(),
    KeptArchives(),
    KeptReceipts(),
    KeptTiles(),
    KeptRoots(),
)
"""Any: kinds of different rows."""
