"""Takes a win at once, and avoids actions that let the next seat win at once.

Among the others it takes the one that the evaluation likes best, or any if there is none.
"""

from pentathlon_engines.bot import Turn, play
from pentathlon_engines.lookahead import after, best_first, is_safe, winning_action

CPU_SHARE = 0.5
"""The share of the time for one action that looking ahead may use."""


def choose(turn: Turn) -> str:
    """Look one action ahead, and two if that finds no win."""
    state = turn.state()
    win = winning_action(state)
    if win is not None:
        return state.text(win)
    actions = state.legal_actions()
    turn.rng.shuffle(actions)
    actions = best_first(state, actions)
    budget_ms = CPU_SHARE * turn.clock["cpu_left_ms"]
    for action in actions:
        if turn.used_ms() > budget_ms or is_safe(after(state, action), turn.seat):
            return state.text(action)
    return state.text(actions[0])


if __name__ == "__main__":
    play(choose)
