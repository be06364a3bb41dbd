"""The laws about matches that a bot misses because it has left; see `leaving`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

FORFEIT: Final = "forfeit"
CANCEL: Final = "cancel_below_half"
AS_PLAYED: Final = "as_played"
LAWS: Final[Mapping[str, str]] = MappingProxyType(
    {
        FORFEIT: (
            "What a bot that leaves has played stands, and what it misses is won by those who "
            "stayed."
        ),
        CANCEL: (
            "If a bot leaves before it has played half of its matches, its results are cancelled "
            "for everybody; otherwise they stand, and what it misses is won by those who stayed."
        ),
        AS_PLAYED: (
            "What a bot that leaves has played stands, and what it misses is worth nothing to "
            "anybody."
        ),
    }
)
"""The laws by the names that documents use, each in a sentence."""
