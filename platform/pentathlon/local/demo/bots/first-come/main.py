"""Takes the first action of the list: the least one can do and still play by the rules."""

from pentathlon_engines.bot import Turn, play


def choose(turn: Turn) -> str:
    """Return the first legal action."""
    return turn.legal[0]


play(choose)
