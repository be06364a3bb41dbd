"""A position of connect four, what it allows, and what an action does."""

from __future__ import annotations

from abc import abstractmethod

from pentathlon_engines.contract.game import Outcome, State
from pentathlon_engines.examples.connect_four.board import (
    COLUMNS,
    PER_COLUMN,
    PLAYED,
    ROWS,
    line_in,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

WON = (Outcome((0, 1), "line"), Outcome((1, 0), "line"))
FULL = Outcome((0, 0), "full")


class ConnectFourPosition(State):
    """The board: a mask of squares for the discs of each seat, and the height of each column."""

    __slots__ = ("discs", "heights")

    def reset(self) -> None:
        """Make this the first position."""
        self.options: dict[str, Any] = {}
        self.seats = 2
        self.to_move: int | None = 0
        self.outcome: Outcome | None = None
        self.discs = [0, 0]
        self.heights = [0] * len(COLUMNS)

    @abstractmethod
    def copy(self) -> ConnectFourPosition:
        """Return an independent twin of this position."""

    @property
    def placed(self) -> int:
        """The number of discs on the board."""
        return sum(self.heights)

    def legal_actions(self) -> list[int]:
        """Return the columns that are not full."""
        if self.to_move is None:
            return []
        return [column for column, height in enumerate(self.heights) if height < len(ROWS)]

    def apply_unchecked(self, action: int) -> None:
        """Drop a disc of the seat to move into a column; for search loops only."""
        seat = self.placed % 2
        self.discs[seat] |= 1 << PER_COLUMN * action + self.heights[action]
        self.heights[action] += 1
        self.to_move = 1 - seat
        self.settle()

    def settle(self) -> None:
        """End the match if four discs of a seat are in a line or the board is full."""
        for seat, discs in enumerate(self.discs):
            if line_in(discs):
                self.outcome = WON[seat]
        if self.outcome is None and self.placed == len(PLAYED):
            self.outcome = FULL
        if self.outcome is not None:
            self.to_move = None
