"""Claims tasks, and summons whenever a pattern matches; else it places more pieces."""

from pentathlon_engines.bot import Turn, play

ORDER = ("claim", "summon", "destroy", "convert", "upgrade", "move", "pick", "leap", "place")


def choose(turn: Turn) -> str:
    """Choose at random among the actions of the kind that stands first in `ORDER`."""
    kinds = {text: text.split()[0] for text in turn.legal}
    first = next((kind for kind in ORDER if kind in kinds.values()), None)
    return turn.rng.choice([text for text in turn.legal if first in (None, kinds[text])])


if __name__ == "__main__":
    play(choose)
