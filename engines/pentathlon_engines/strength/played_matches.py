"""Matches as the estimate of strengths reads them, and their counts by pair."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from typing import NamedTuple

from pentathlon_engines.strength.pair_model import DRAW, LOSS, WIN

Pair = tuple[int, int]
"""Two indices of players, the smaller one first."""
Counts = dict[Pair, list[int]]
"""Wins, draws and losses of the first player of each pair."""


class PlayedMatch(NamedTuple):
    """A match as the estimate reads it."""

    players: tuple[int, ...]
    """The player in each seat."""
    ranks: tuple[int, ...]
    """The rank of each seat; 0 is best. If all failed, nobody has 0, and the match tells
    nothing."""
    block: int | None = None
    """The block; its matches share their seed, so they may be alike. None: no other match is in
    it."""
    course: str | None = None
    """A fingerprint of all that happened. A match with the same players in the same seats and the
    same course is the same match played twice, and counts once; None is never a repeat."""


def telling_matches(matches: Iterable[PlayedMatch]) -> list[PlayedMatch]:
    """Return the informative matches without repeats, in a canonical order."""
    telling = sorted((match for match in matches if 0 in match.ranks), key=_order)
    seen = set()
    kept = []
    for match in telling:
        if match.course is not None:
            played = (match.players, match.ranks, match.course)
            if played in seen:
                continue
            seen.add(played)
        kept.append(match)
    return kept


def count_pairs(matches: Iterable[PlayedMatch], indices: Mapping[int, int]) -> Counts:
    """Return wins, draws and losses of all pairs that met, in the order of the pairs."""
    counts: Counts = {}
    for match in matches:
        for pair, outcome in pairs_of(match, indices):
            counts.setdefault(pair, [0, 0, 0])[outcome] += 1
    return dict(sorted(counts.items()))


def pairs_of(match: PlayedMatch, indices: Mapping[int, int]) -> Iterator[tuple[Pair, int]]:
    """Yield each pair of a match, with the outcome for the first of the pair."""
    ends = sorted(zip(map(indices.__getitem__, match.players), match.ranks, strict=True))
    for (first, rank), (second, other) in combinations(ends, 2):
        yield (first, second), DRAW if rank == other else WIN if rank < other else LOSS


def _order(match: PlayedMatch) -> tuple[int, tuple[int, ...], tuple[int, ...], str]:
    block = -1 if match.block is None else match.block
    return (block, match.players, match.ranks, match.course or "")
