"""The encoder of games that have no other: it hashes an observation into a fixed size.

The name of each field is made of the keys that lead to it. A number is added at the place to which
its name hashes; a text adds 1 at the place to which its name and value hash. Then the sums are
squeezed between -1 and 1. Fields that share a place cannot be told apart. Seats keep their order,
whichever seat observes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final
from zlib import crc32

from pentathlon_engines.encoding.pieces import piece

SIZE: Final = 1024
_LEFT_OUT: Final = ("game", "legal", "you", "result")


def size(seats: int) -> int:
    """Return how many numbers there are."""
    return SIZE


def encode(state: Any, seat: int, pieces: list[bytes]) -> None:  # Any: a state of any game
    """Add what a seat observes."""
    values = [0.0] * SIZE
    view = state.observation(seat)
    shown = {name: field for name, field in view.items() if name not in _LEFT_OUT}
    for name, value in _leaves("", shown):
        values[crc32(name.encode()) % SIZE] += value
    pieces.append(piece(value / (1 + abs(value)) for value in values))


def _leaves(name: str, field: object) -> Iterator[tuple[str, float]]:
    if isinstance(field, dict):
        for key, value in field.items():
            yield from _leaves(f"{name}/{key}", value)
    elif isinstance(field, list):
        for index, value in enumerate(field):
            yield from _leaves(f"{name}/{index}", value)
    elif isinstance(field, str):
        yield f"{name}={field}", 1.0
    elif field is not None and isinstance(field, int | float):
        yield name, float(field)
