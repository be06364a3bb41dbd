"""Strengths from the blocks of a tournament so far, for formats that pair by them."""

from collections.abc import Iterable, Sequence

from pentathlon_engines.strength.pair_model import PlayedMatch
from pentathlon_engines.strength.thurstone import Strengths, fit
from pentathlon_engines.tournament.formats.interface import Plan, PlayedBlock


def estimate(
    plan: Plan, played: Sequence[PlayedBlock], *, others: Iterable[int] = ()
) -> Strengths:
    """Return the strengths of all who have played, by the matches played in blocks that count.

    Repeats and forfeits do not count.

    `others` are entries that may have no block yet.
    """
    return fit(
        (
            PlayedMatch(players=seating, ranks=ranks, block=number)
            for number, block in enumerate(played)
            if block.counts
            for leg, (seating, ranks) in enumerate(
                zip(block.seatings, block.ranks or (), strict=True)
            )
            if ranks is not None and block.is_played(leg) and leg not in block.repeats
        ),
        players={*others, *(bot for block in played for bot in block.seatings[0])},
        draw_probability=plan.draw_probability,
    )
