"""Positions of connect four as numbers."""

from __future__ import annotations

from typing import Any

from pentathlon_engines.examples.connect_four.board import PLAYED
from pentathlon_engines.examples.connect_four.state import ConnectFourPosition


def most(seats: int, options: dict[str, Any]) -> list[int]:
    """Return for each column the count that becomes 1."""
    return [1] * (2 + 2 * len(PLAYED))


def row(state: ConnectFourPosition, seat: int) -> bytearray:
    """Return whose turn it is and whose disc is on each square; the one who looks comes first."""
    order = (seat, 1 - seat)
    found: list[int] = [state.to_move == other for other in order]
    found += [state.discs[other] >> square & 1 for square in PLAYED for other in order]
    return bytearray(found)
