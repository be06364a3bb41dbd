"""Plays any legal action with equal probability."""

from pentathlon_engines.bot import Turn, play


def choose(turn: Turn) -> str:
    """Choose an action at random."""
    return turn.rng.choice(turn.legal)


if __name__ == "__main__":
    play(choose)
