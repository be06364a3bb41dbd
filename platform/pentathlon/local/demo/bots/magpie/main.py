"""Takes a win that lies in front of it and sees nothing else."""

from pentathlon_engines.bot import Turn, play
from pentathlon_engines.lookahead import winning_action


def choose(turn: Turn) -> str:
    """Win at once if that is possible, else draw an action."""
    state = turn.state()
    win = winning_action(state)
    return turn.rng.choice(turn.legal) if win is None else state.text(win)


play(choose)
