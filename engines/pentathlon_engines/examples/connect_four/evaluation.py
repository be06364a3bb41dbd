"""A rule of thumb for positions of connect four: discs near the middle have more lines."""

from __future__ import annotations

from typing import Final

from pentathlon_engines.examples.connect_four.board import COLUMNS, PER_COLUMN
from pentathlon_engines.examples.connect_four.state import ConnectFourPosition

_LINES: Final = (3, 4, 5, 7, 5, 4, 3)
_COLUMN: Final = (1 << PER_COLUMN) - 1


def worth(state: ConnectFourPosition, seat: int) -> float:
    """Return by how much a seat is ahead."""
    if state.outcome is not None:
        return 1000.0 * (state.outcome.ranks[1 - seat] - state.outcome.ranks[seat])
    own, other = [
        sum(
            _LINES[column] * (discs >> PER_COLUMN * column & _COLUMN).bit_count()
            for column in range(len(COLUMNS))
        )
        for discs in (state.discs[seat], state.discs[1 - seat])
    ]
    return float(own - other)
