"""A bot that wins at once if it can, and else plays at random."""

from pentathlon_engines.bot import Turn, play
from pentathlon_engines.lookahead import winning_action


def choose(turn: Turn) -> str:
    """Return one of `turn.legal`."""
    state = turn.state()
    win = winning_action(state)
    if win is not None:
        return state.text(win)
    return turn.rng.choice(turn.legal)


if __name__ == "__main__":
    play(choose)
