"""The name that positions of Tuned share if they are the same when turned or mirrored."""

from __future__ import annotations

from hashlib import sha256
from typing import Any, Final

_FILES: Final = "abc"
_SIDE: Final = 3


def position_key(seen: dict[str, Any]) -> str:
    """Return the key of an observation: board in its least of eight forms, hands, roosters, turn.

    The key ignores how often a position has come back, and the move before it.
    """
    boards = (_turned(seen["board"], turns, mirrored) for turns in range(4) for mirrored in (0, 1))
    facts = (min(boards), seen["hands"], seen["rooster"], seen["to_move"], seen["result"])
    return sha256(repr(facts).encode()).hexdigest()[:32]


def _turned(board: dict[str, str], turns: int, mirrored: int) -> list[tuple[int, int, str]]:
    cells = [(_FILES.index(name[0]), int(name[1]) - 1, pieces) for name, pieces in board.items()]
    if mirrored:
        cells = [(_SIDE - 1 - file, rank, pieces) for file, rank, pieces in cells]
    for _ in range(turns):
        cells = [(rank, _SIDE - 1 - file, pieces) for file, rank, pieces in cells]
    return sorted(cells)
