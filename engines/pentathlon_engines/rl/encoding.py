"""Observations as numbers of a fixed size, made from nothing but what the seat may see."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from pentathlon_engines.rl import azure, hashing, maatatahay, tash_kalar, tuned, way_of_the_dragon

Encoder = Callable[[dict[str, Any], int], list[float]]

_ENCODERS: Final[dict[str, Encoder]] = {
    "azure": azure.features,
    "maatatahay": maatatahay.features,
    "tash_kalar": tash_kalar.features,
    "tuned": tuned.features,
    "way_of_the_dragon": way_of_the_dragon.features,
}


def encode(view: dict[str, Any], seats: int) -> list[float]:
    """Return the numbers of a seat's observation, all from -1 to 1.

    How many there are depends on the game and the number of seats only. A game without an
    encoder of its own is hashed.
    """
    return _ENCODERS.get(view["game"], hashing.features)(view, seats)
