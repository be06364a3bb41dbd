"""Pictures of connect four."""

from __future__ import annotations

from typing import Final

from pentathlon_engines.drawing.svg import Picture, Point
from pentathlon_engines.drawing.terminal import grid
from pentathlon_engines.examples.connect_four.board import COLUMNS, ROWS, SQUARES, line_in
from pentathlon_engines.examples.connect_four.serialization import owners
from pentathlon_engines.examples.connect_four.state import ConnectFourPosition

_CELL: Final = 76
_FIELD: Final = (34, 20, _CELL * len(COLUMNS), _CELL * len(ROWS))
_HEIGHT: Final = 510


def svg(state: ConnectFourPosition, seat: int | None) -> str:
    """Draw the position, which looks the same to every seat."""
    picture, board = Picture(height=_HEIGHT, field=_FIELD), owners(state)
    for name in (f"{column}{row}" for row in reversed(ROWS) for column in COLUMNS):
        x, y = _middle(name)
        owner = board.get(name)
        with picture.cell(name, f"{name}: {'empty' if owner is None else f'seat {owner}'}"):
            box = (x - _CELL / 2, y - _CELL / 2, _CELL, _CELL)
            picture.rect(box, paint="b-cell b-grid", width=1)
            if owner is not None:
                picture.seat_piece(owner, (x, y), size=56)
    for number, column in enumerate(COLUMNS):
        picture.text(column, (_FIELD[0] + _CELL * (number + 0.5), _HEIGHT - 16))
    for line in map(line_in, state.discs):
        if line:
            ends = [_middle(SQUARES[square]) for square in (line[0], line[-1])]
            picture.winning_line(ends, half=(32, 32))
    title = f"Connect four, ply {state.placed}"
    return picture.document(title=title, description=_describe(state))


def text(state: ConnectFourPosition) -> str:
    """Draw the position with the numbers of the seats."""
    board = owners(state)
    names = [f"{column}{row}" for row in reversed(ROWS) for column in COLUMNS]
    cells = [str(board.get(name, "")) for name in names]
    return f"{grid(COLUMNS, ROWS[::-1], cells)}\n{_describe(state)}"


def _middle(name: str) -> Point:
    left, top, _, height = _FIELD
    x, y = COLUMNS.index(name[0]) + 0.5, ROWS.index(name[1]) + 0.5
    return left + _CELL * x, top + height - _CELL * y


def _describe(state: ConnectFourPosition) -> str:
    if state.outcome is None:
        return f"{state.placed} discs, seat {state.to_move} to move"
    ranks = state.outcome.ranks
    won = "draw" if ranks == (0, 0) else f"seat {ranks.index(0)} won"
    return f"{state.placed} discs, {won} ({state.outcome.reason})"
