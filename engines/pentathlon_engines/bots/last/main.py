"""Plays the last legal action, so that it does the same in the same position."""

from pentathlon_engines.bot import Turn, play


def choose(turn: Turn) -> str:
    """Choose the last action."""
    return turn.legal[-1]


if __name__ == "__main__":
    play(choose)
