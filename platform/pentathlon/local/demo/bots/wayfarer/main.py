"""Collects the element whose piece would get furthest, then goes as far as possible."""

from pentathlon_engines.bot import Turn, play
from pentathlon_engines.way_of_the_dragon.policies import play_greedy


def choose(turn: Turn) -> str:
    """Return what a simple player of this one game would do."""
    state = turn.state()
    return state.text(play_greedy(state, state.legal_actions(), turn.rng))


play(choose)
