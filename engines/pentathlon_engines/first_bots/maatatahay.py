"""Plays for points that live: gems, spirit and relics, less what is in danger."""

from pentathlon_engines.bot import Turn, play
from pentathlon_engines.lookahead import best_first


def choose(turn: Turn) -> str:
    """Take the action after which the position looks best by the engine's rule of thumb."""
    state = turn.state()
    actions = state.legal_actions()
    turn.rng.shuffle(actions)
    return state.text(best_first(state, actions)[0])


if __name__ == "__main__":
    play(choose)
