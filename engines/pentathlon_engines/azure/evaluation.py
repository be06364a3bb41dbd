"""A heuristic evaluation of Azure positions for one seat, for simple bots.

Its terms are those of the rules page (15): wisdom, own cards, guards, and spaces that the seat
could pay for next. Only the seat's own cards count.
"""

from __future__ import annotations

from pentathlon_engines.azure.actions import GIFT
from pentathlon_engines.azure.board import TURN, size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from pentathlon_engines.azure.state import AzurePosition

_WISDOM: Final = 10
_CARD: Final = 4
_GUARD: Final = 5
_CHOICE: Final = 2
_WIN: Final = 10_000


def worth(state: AzurePosition, seat: int) -> float:
    """Return the value of the position for a seat; higher is better."""
    if state.outcome is not None:
        return _WIN if state.outcome.ranks[seat] == 0 else -_WIN
    mine, theirs = state.sides[seat], state.sides[1 - seat]
    guards = sum(
        (mine.stones & cells).bit_count() - (theirs.stones & cells).bit_count()
        for cells in state.realm.guards
    )
    return (
        _WISDOM * (mine.wisdom - theirs.wisdom)
        + _CARD * size(mine.hand)
        + _GUARD * guards
        + _CHOICE * _choices(state, seat)
    )


def _choices(state: AzurePosition, seat: int) -> int:
    """Return the number of spaces that a seat could pay for if it were on turn."""
    next_turn = state.copy()
    next_turn.phase, next_turn.mover, next_turn.to_move = TURN, seat, seat
    next_turn.look()
    return len({action % GIFT for action in next_turn.legal_actions()})
