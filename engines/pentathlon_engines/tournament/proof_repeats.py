"""Checks which matches a proof calls exact repeats of earlier ones, against their records.

`finals/2` counts a match that goes exactly as an earlier one only once. So each batch notes which
matches did, and later pairings follow from that.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from pentathlon_engines.tournament.batches import Note
from pentathlon_engines.tournament.formats.registry import FORMATS
from pentathlon_engines.tournament.proof_schedule import Proof


class Leg(NamedTuple):
    """A finished match of a block."""

    block: int
    number: int
    """The number of the match within its block, from 0."""
    course: tuple[str, ...] | None
    """What happened, and the entries by seat; None if nobody has shown the record."""


def reads_repeats(proof: Proof) -> bool:
    """Return whether the format of a tournament looks at which matches were repeats."""
    scheduling = FORMATS.get(proof["document"]["scheduler"])
    return scheduling is not None and scheduling.reads_repeats


def find_wrong_repeat(
    notes: Sequence[Note], legs: Iterable[Leg], *, replayed: Collection[int]
) -> str | None:
    """Return what is wrong with the noted repeats; the legs come in schedule order.

    Blocks in which a match was played again are skipped: what was noted of them is lost.
    """
    noted = {
        (block, leg) for note in notes for block, which in note.repeats.items() for leg in which
    }
    decided = {block for note in notes for block in note.results}
    seen: set[tuple[str, ...]] = set()
    has_gaps = False
    for block, number, course in legs:
        if course is None or block in replayed:
            has_gaps = True
            continue
        is_repeat, is_noted = course in seen, (block, number) in noted
        seen.add(course)
        if block not in decided or is_repeat == is_noted:
            continue
        if is_repeat:
            return (
                f"match {number + 1} of block {block} repeats an earlier match exactly, "
                "but is not noted as a repeat"
            )
        # The earlier one may be a match whose record is not here.
        if not has_gaps:
            return f"match {number + 1} of block {block} is noted as a repeat, but is not one"
    return None
