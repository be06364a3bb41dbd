"""Tells what happens in connect four."""

from __future__ import annotations

from collections.abc import Mapping

from pentathlon_engines.commentary.words import enumerate_all, tell_ranks
from pentathlon_engines.contract.plain import cards, hands, refuse
from pentathlon_engines.contract.presentation import Change, Position
from pentathlon_engines.examples.connect_four.board import SQUARES, line_in

__all__ = ["ask", "cards", "endings", "hands", "points", "refuse", "tell", "tell_end"]


def tell(change: Change) -> str:
    """Return where a disc lands."""
    (square,) = change.after["board"].keys() - change.before["board"].keys()
    return f"{change.who} drops a disc on {square}"


def ask(_position: Position) -> str:
    """Return that a column has to be chosen."""
    return "Choose the column for your disc."


def tell_end(position: Position) -> str:
    """Return who wins by which line."""
    ranks, board = position["result"]["ranks"], position["board"]
    if position["result"]["reason"] == "full":
        return f"The board is full: {tell_ranks(ranks)}"
    discs = sum(1 << SQUARES.index(name) for name in board if board[name] == ranks.index(0))
    line = enumerate_all([SQUARES[square] for square in line_in(discs)])
    return f"Four discs on {line}: {tell_ranks(ranks)}"


def endings() -> Mapping[str, str]:
    """Return how each reason decides a match, after who has won."""
    return {"line": "with four discs in a line", "full": "on a full board"}


def points(position: Position) -> None:
    """Return None: connect four has no points."""
