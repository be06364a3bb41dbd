"""Observations of connect four as numbers."""

from __future__ import annotations

from typing import Any

from pentathlon_engines.encoding.features import Features
from pentathlon_engines.examples.connect_four.board import PLAYED, SQUARES


def features(view: dict[str, Any], seats: int) -> list[float]:
    """Return the numbers of an observation."""
    encoded = Features(you=view["you"], seats=seats)
    encoded.seat(view["to_move"])
    for square in PLAYED:
        encoded.seat(view["board"].get(SQUARES[square]))
    return encoded.values
