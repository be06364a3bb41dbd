"""Plays safe like a watchdog, and asks many random playouts which safe action is best."""

from pentathlon_engines.bot import Turn, play
from pentathlon_engines.contract.game import State
from pentathlon_engines.lookahead import after, is_safe, winning_action

PLAYOUTS = 300
"""Shared out among the actions that are worth a look."""


def choose(turn: Turn) -> str:
    """Win at once, else return the safe action that does best in the playouts."""
    state = turn.state()
    win = winning_action(state)
    if win is not None:
        return state.text(win)
    actions = state.legal_actions()
    safe = [action for action in actions if is_safe(after(state, action), turn.seat)]
    return state.text(_best(state, safe or actions, turn))


def _best(state: State, actions: list[int], turn: Turn) -> int:
    tries = max(1, PLAYOUTS // len(actions))
    wins = dict.fromkeys(actions, 0)
    for action in actions:
        following = after(state, action)
        for _ in range(tries):
            wins[action] += following.copy().playout(turn.rng).ranks[turn.seat] == 0
    best = max(actions, key=wins.__getitem__)
    turn.note = f"{wins[best]} of {tries} playouts won"
    return best


play(choose)
