"""Imagines a few random ends of the match after each action and takes the happiest one."""

from pentathlon_engines.bot import Turn, play
from pentathlon_engines.lookahead import after

DREAMS = 12
"""Playouts for each action."""


def choose(turn: Turn) -> str:
    """Return the action that won most of its playouts."""
    state = turn.state()
    actions = state.legal_actions()

    def wins(action: int) -> int:
        ends = (after(state, action).playout(turn.rng) for _ in range(DREAMS))
        return sum(end.ranks[turn.seat] == 0 for end in ends)

    return state.text(max(actions, key=wins))


play(choose)
