"""Fields of players with known strengths, and matches drawn from them."""

import math
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise
from random import Random

from pentathlon_engines.strength.pair_model import PlayedMatch, draw_margin
from pentathlon_engines.strength.thurstone import BETA

MARGIN = draw_margin(0.1) * math.sqrt(2) * BETA


def draw_truth(players: int, rng: Random, spread: float = 2.0) -> list[float]:
    """Return strengths with a standard deviation of `spread` times the noise of a match."""
    return [rng.gauss(25, spread * BETA) for _ in range(players)]


def play(truth: Sequence[float], seating: Sequence[int], block: int, rng: Random) -> PlayedMatch:
    """Return one match; who is within the margin of the one above shares its rank."""
    shown = {player: rng.gauss(truth[player], BETA) for player in seating}
    order = sorted(seating, key=lambda player: -shown[player])
    ranks = {order[0]: 0}
    for place, (above, player) in enumerate(pairwise(order), start=1):
        is_level = shown[above] - shown[player] < MARGIN
        ranks[player] = ranks[above] if is_level else place
    return PlayedMatch(tuple(seating), tuple(ranks[player] for player in seating), block)


def round_robin(truth: Sequence[float], cycles: int, rng: Random) -> Iterator[PlayedMatch]:
    """Yield matches of two in every pairing, in blocks of both seat orders."""
    pairs = list(combinations(range(len(truth)), 2)) * cycles
    for block, (first, second) in enumerate(pairs):
        yield play(truth, (first, second), block, rng)
        yield play(truth, (second, first), block, rng)
