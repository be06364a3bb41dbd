"""What the sequential test says of a challenge's blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pentathlon_engines.strength.sprt import Sprt, SprtDecision

SPRT = Sprt()
"""A test of whether the challenger is better, the same as in A/B tournaments."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SprtReading:
    """The state of the sequential test after all complete blocks between two versions."""

    decision: SprtDecision
    ratio: float
    """The log-likelihood ratio; outside the bounds it decides."""
    lower: float
    upper: float
    blocks: int
    """How many blocks were read: up to the decision, or all."""
    counts: tuple[int, ...]
    """How many of these blocks gave the challenger each number of half points, from 0."""
    first_look: int
    """The number of blocks before which no decision is made."""


def reading_of(cells: Sequence[int], *, matches: int) -> SprtReading | None:
    """Return what the sequential test says of blocks in their order; None before the first one.

    `cells` are their half points, `matches` those of a block. The test looks after 20 blocks and
    then after every 4: read more often, it errs more often than it states. One challenge is too
    short to decide between .50 and .55, so the blocks of all challenges between the same two
    versions count, including cancelled ones: whoever could leave out bad results would always find
    what they are looking for.
    """
    if not cells:
        return None
    decision, counts = SPRT.run(cells, matches=matches)
    lower, upper = SPRT.bounds
    return SprtReading(
        decision=decision,
        ratio=SPRT.ratio(counts),
        lower=lower,
        upper=upper,
        blocks=sum(counts),
        counts=tuple(counts),
        first_look=SPRT.first_look,
    )
