"""Positions of connect four as numbers."""

from __future__ import annotations

from pentathlon_engines.encoding.pieces import piece
from pentathlon_engines.examples.connect_four.board import PLAYED
from pentathlon_engines.examples.connect_four.state import ConnectFourPosition


def size(seats: int) -> int:
    """Return how many numbers there are."""
    return 2 + 2 * len(PLAYED)


def encode(state: ConnectFourPosition, seat: int, pieces: list[bytes]) -> None:
    """Add whose turn it is and whose disc is on each square; the one who looks comes first."""
    order = (seat, 1 - seat)
    pieces.append(piece(state.to_move == other for other in order))
    pieces.append(piece(state.discs[other] >> at & 1 for at in PLAYED for other in order))
