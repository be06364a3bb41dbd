"""Plays any legal action, each with the same chance."""

from pentathlon_engines.bot import Turn, play


def choose(turn: Turn) -> str:
    """Draw an action."""
    return turn.rng.choice(turn.legal)


play(choose)
