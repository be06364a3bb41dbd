"""Checks the results that a proof notes with its batches against those of the matches.

A match that was not played because a bot had left is a forfeit: `leaving` says what it gives.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from pentathlon_engines.tournament.batches import Note, Ranks
from pentathlon_engines.tournament.departures import forfeit_ranks


@dataclass(frozen=True, slots=True)
class StatedMatch:
    """A match of a block, as the proof states it."""

    index: int
    seats: Sequence[int]
    ranks: Sequence[int] | None
    """None if it was not played."""


def find_wrong_result(
    notes: Sequence[Note],
    legs: Mapping[int, Sequence[StatedMatch]],
    *,
    came_back: Collection[int],
    replayed: Collection[int],
) -> str | None:
    """Return what is wrong with the noted results of blocks.

    Entries in `came_back` had left once, but another version of the bot has taken their place.
    Blocks in which a match was played again are skipped: what was noted of them is lost.
    """
    for note in notes:
        for block, result in note.results.items():
            if result is None or block in replayed:
                continue
            missed = note.forfeits.get(block, ())
            left = {*note.left, *came_back}
            if problem := _wrong_result(legs[block], result, missed=missed, left=left):
                stated = list(map(list, result))
                return f"a batch used the result {stated} of block {block}: {problem}"
    return None


def _wrong_result(
    legs: Sequence[StatedMatch], result: Ranks, *, missed: Collection[int], left: Collection[int]
) -> str | None:
    """Return what is wrong with the noted result of a block; `missed` are its forfeited legs."""
    if len(result) != len(legs):
        return f"it has {len(legs)} matches"
    for number, (leg, ranks) in enumerate(zip(legs, result, strict=True)):
        if number not in missed:
            if leg.ranks is None or list(leg.ranks) != list(ranks):
                return f"the result of match {leg.index} is {leg.ranks}"
            continue
        gone = {entry for entry, rank in zip(leg.seats, ranks, strict=True) if rank}
        if not gone or not gone <= {*left} or ranks != forfeit_ranks(leg.seats, gone):
            return f"match {leg.index} counts as forfeited by a bot that had not left"
    return None
