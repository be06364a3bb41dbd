"""Wins at once if it can, and leaves no win to the other seat if it can avoid that."""

from pentathlon_engines.bot import Turn, play
from pentathlon_engines.lookahead import after, is_safe, winning_action


def choose(turn: Turn) -> str:
    """Look one action ahead for a win, two for a loss."""
    state = turn.state()
    win = winning_action(state)
    if win is not None:
        return state.text(win)
    actions = state.legal_actions()
    turn.rng.shuffle(actions)
    safe = [action for action in actions if is_safe(after(state, action), turn.seat)]
    return state.text((safe or actions)[0])


if __name__ == "__main__":
    play(choose)
