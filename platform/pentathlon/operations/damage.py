"""All that is stored with a hash, a chain or a signature by which damage to it is seen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from pentathlon.bots.integrity import KeptArchives
from pentathlon.core.integrity import Kept
from pentathlon.matches.replays.integrity import KeptReplays
from pentathlon.matches.transparency.integrity import KeptReceipts, KeptRoots, KeptTiles

KINDS: Final[Sequence[Kept[Any]]] = (
    KeptReplays(),
    KeptArchives(),
    KeptReceipts(),
    KeptTiles(),
    KeptRoots(),
)
"""Any: kinds of different rows."""
