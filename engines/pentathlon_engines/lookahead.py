"""Look one and two actions ahead, in any game.

>>> from pentathlon_engines import GAMES
>>> state = GAMES["tuned"].start()
>>> winning_action(state) is None
True
"""

from __future__ import annotations

from pentathlon_engines.contract.game import CHANCE, State


def after(state: State, action: int) -> State:
    """Return the position after an action; `state` does not change."""
    state = state.copy()
    state.apply_unchecked(action)
    return state


def winning_action(state: State) -> int | None:
    """Return an action with which the seat to move wins at once, or None."""
    seat = state.to_move
    if seat is None or seat == CHANCE:
        return None
    for action in state.legal_actions():
        if has_won(after(state, action), seat):
            return action
    return None


def has_won(state: State, seat: int) -> bool:
    """Return whether this seat alone has won."""
    outcome = state.outcome
    return outcome is not None and outcome.ranks[seat] == 0 and outcome.ranks.count(0) == 1


def best_first(state: State, actions: list[int]) -> list[int]:
    """Return the actions by how good the position after them looks to the seat to move.

    The best comes first. Equal actions keep their order, as do all in a game without an
    evaluation.
    """
    seat, evaluate = state.to_move, state.game.evaluation()
    if seat is None or evaluate is None:
        return actions
    return sorted(actions, key=lambda action: -evaluate(after(state, action), seat))


def is_safe(state: State, seat: int) -> bool:
    """Return whether this seat has not lost, and nobody else can win with the next action."""
    if state.outcome is not None:
        return state.outcome.ranks[seat] == 0
    return state.to_move == seat or winning_action(state) is None
