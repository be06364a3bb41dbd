"""Looking one and two actions ahead, for bots of any game.

>>> from pentathlon_engines import GAMES
>>> state = GAMES["tuned"].start()
>>> winning_action(state) is None
True
"""

from __future__ import annotations

from pentathlon_engines.game import CHANCE, State

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final

    Judge = Callable[[State, int], float]

_JUDGED: Final = ("azure", "maatatahay", "tash_kalar", "way_of_the_dragon")
"""Games whose package can tell how good a position looks, in a module `judging`."""


def after(state: State, action: int) -> State:
    """Return the position after an action; the given one stays as it is."""
    state = state.copy()
    state.apply_unchecked(action)
    return state


def winning_action(state: State) -> int | None:
    """Return an action with which the seat to move wins at once, or None."""
    seat = state.to_move
    if seat is None or seat == CHANCE:
        return None
    for action in state.legal_actions():
        if _has_won(after(state, action), seat):
            return action
    return None


def can_judge(state: State) -> bool:
    """Say whether it can be told of positions of this game how good they look."""
    return state.game.info.key in _JUDGED


def best_first(state: State, actions: list[int]) -> list[int]:
    """Return the actions, those first after which the position looks best to the seat to move.

    Actions that look alike stay in their order, as do all in a game that cannot be judged.
    """
    seat = state.to_move
    if seat is None or not can_judge(state):
        return actions
    judge = _judge_of(state.game.info.key)
    return sorted(actions, key=lambda action: -judge(after(state, action), seat))


def is_safe(state: State, seat: int) -> bool:
    """Say whether this seat has neither lost here nor can be beaten by the next action."""
    if state.outcome is not None:
        return state.outcome.ranks[seat] == 0
    return state.to_move == seat or winning_action(state) is None


def _has_won(state: State, seat: int) -> bool:
    outcome = state.outcome
    return outcome is not None and outcome.ranks[seat] == 0 and outcome.ranks.count(0) == 1


def _judge_of(key: str) -> Judge:
    # Loaded when it is first asked for: most bots never judge.
    judge: Judge = __import__(f"pentathlon_engines.{key}.judging", fromlist=["worth"]).worth
    return judge
