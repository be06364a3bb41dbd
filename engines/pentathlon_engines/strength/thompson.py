"""Chooses which two players meet next, to find out soon who is the best.

T3C: draw strengths from what is known, take the strongest player as the leader, and let it meet
the player most easily confused with it (Shang, de Heide, Kaufmann, Ménard and Valko 2020).
"""

from __future__ import annotations

import math
from operator import mul
from statistics import NormalDist
from typing import Final

from pentathlon_engines.seeds import draw
from pentathlon_engines.strength.best import joint_factor
from pentathlon_engines.strength.thurstone import Strengths

_NORMAL: Final = NormalDist()
_ENDS: Final = 2**53


def next_pair(strengths: Strengths, *, key: bytes, turn: int) -> tuple[int, int]:
    """Return the leader and the challenger, as players.

    `turn` counts the pairs of a tournament: every turn draws again from the event key.

    Raises:
        ValueError: there are fewer than two players.
    """
    size = len(strengths.players)
    if size <= 1:
        raise ValueError("a pair needs two players")
    leader = _leader(strengths, key, turn)
    costs = [
        (_cost(strengths, leader, other), draw(key, "challenger", turn, other), other)
        for other in range(size)
        if other != leader
    ]
    challenger = min(costs)[-1]
    return strengths.players[leader], strengths.players[challenger]


def _leader(strengths: Strengths, key: bytes, turn: int) -> int:
    """Return the index of the strongest player in one draw of all strengths."""
    size = len(strengths.players)
    parts = (draw(key, "leader", turn, index) for index in range(size))
    point = [_NORMAL.inv_cdf((part + 0.5) / _ENDS) for part in parts]
    factor = joint_factor(strengths, range(size))
    values = [
        mu + math.fsum(map(mul, row, point)) for mu, row in zip(strengths.mu, factor, strict=True)
    ]
    return values.index(max(values))


def _cost(strengths: Strengths, leader: int, other: int) -> float:
    """Return how much evidence there is against the other player being the stronger one."""
    lead = strengths.mu[leader] - strengths.mu[other]
    deviation = strengths.deviation(leader, other)
    return (lead / deviation) ** 2 if lead > 0 and deviation else 0.0
