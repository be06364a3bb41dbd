"""Positions of connect four as JSON: a table of fields, and what no field says alone."""

from __future__ import annotations

from pentathlon_engines.contract import position
from pentathlon_engines.contract.kinds import Integer, MapOf, refuse
from pentathlon_engines.contract.position import Field, Fields
from pentathlon_engines.examples.connect_four.board import PER_COLUMN, PLAYED, SQUARES, line_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from pentathlon_engines.examples.connect_four.state import ConnectFourPosition


def owners(state: ConnectFourPosition) -> dict[str, int]:
    """Return the seat of each disc by its square."""
    first, second = state.discs
    return {SQUARES[at]: second >> at & 1 for at in PLAYED if (first | second) >> at & 1}


TABLE: Final = Fields(
    position.GAME,
    position.OPTIONS,
    Field("board", MapOf(SQUARES, Integer(0, 1), what="a square"), owners, is_required=True),
    position.TO_MOVE,
    Field("phase", get=lambda state: "turn" if state.outcome is None else "over"),
    position.RESULT,
)


def read(state: ConnectFourPosition, data: dict[str, Any]) -> None:
    """Turn a fresh state into the position of `data`, or raise `BadPosition`."""
    board = TABLE.read(state, data)["board"]
    for square in sorted(board):
        column, row = divmod(square, PER_COLUMN)
        if state.heights[column] != row or square not in PLAYED:
            refuse(f"board.{SQUARES[square]}", "there is nothing below it")
        state.discs[board[square]] |= 1 << square
        state.heights[column] += 1
    first, second = [discs.bit_count() for discs in state.discs]
    if first - second not in (0, 1):
        refuse("board", f"{first} and {second} discs, but the seats take turns")
    state.to_move = first - second
    state.settle()
    if all(map(line_in, state.discs)):
        refuse("board", "both seats have a line, but the first one ends the match")
    position.check_written(state, data)
