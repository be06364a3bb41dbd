"""The results of blocks as their rows keep them, and the forfeits of blocks cut short."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from pentathlon_engines.tournament.batches import Ranks
from pentathlon_engines.tournament.departures import forfeit_ranks

Json = Any


class BlockResult(NamedTuple):
    """The result of a block, complete or cut short because a bot has left."""

    ranks: Ranks
    """The rank of each seat, leg by leg, those of forfeited legs included."""
    forfeits: tuple[int, ...] = ()
    """The legs, from 0, that were not played because a bot had left."""

    def to_json(self) -> Json:
        """Return the result as the row of its block keeps it."""
        ranks = [list(each) for each in self.ranks]
        return {"ranks": ranks, "forfeits": list(self.forfeits)} if self.forfeits else ranks


class PlayedLeg(NamedTuple):
    """A leg of a block that was cut short."""

    versions: Sequence[int]
    """The bot version in each seat."""
    ranks: Sequence[int] | None
    """None if it was not played, or its result was taken back."""


def read_result(stored: Json) -> BlockResult | None:
    """Return the result in the row of a block; None if it is void or not complete."""
    if stored is None:
        return None
    told = stored if isinstance(stored, dict) else {"ranks": stored, "forfeits": ()}
    return BlockResult(tuple(map(tuple, told["ranks"])), tuple(told["forfeits"]))


def cut_short(legs: Sequence[PlayedLeg], *, out: Collection[int]) -> BlockResult:
    """Return the result of a block in which the versions in `out` do not play on."""
    forfeits = tuple(number for number, leg in enumerate(legs) if leg.ranks is None)
    ranks = tuple(
        forfeit_ranks(leg.versions, out) if leg.ranks is None else tuple(leg.ranks) for leg in legs
    )
    return BlockResult(ranks, forfeits)
