"""Takes a win, and never leaves one to the next seat if it can be helped."""

from pentathlon_engines.bot import Turn, play
from pentathlon_engines.lookahead import after, is_safe, winning_action


def choose(turn: Turn) -> str:
    """Win at once, else draw among the actions that the next seat cannot win after."""
    state = turn.state()
    win = winning_action(state)
    if win is not None:
        return state.text(win)
    actions = state.legal_actions()
    safe = [action for action in actions if is_safe(after(state, action), turn.seat)]
    return state.text(turn.rng.choice(safe or actions))


play(choose)
