"""Rolls for many dice of one element, and makes the longest move."""

from pentathlon_engines.bot import Turn, play

LETTERS = {"w": "water", "f": "fire", "m": "metal", "e": "earth", "o": "wood"}
LAST_PLAIN = 5


def choose(turn: Turn) -> str:
    """Keep the most frequent element whose piece is not on a number yet; then move that piece."""
    seen = turn.observation
    mine = seen["positions"][turn.seat]
    free = [letter for letter, path in LETTERS.items() if (mine[path] or 0) <= LAST_PLAIN]
    free.sort(key=lambda letter: -seen["dice"].count(letter))
    kept = "".join(letter * seen["dice"].count(letter) for letter in free[:1])
    wanted = [f"keep {kept or '-'}", *(f"move {LETTERS[letter]}" for letter in free)]
    return next((text for text in wanted if text in turn.legal), turn.legal[0])


if __name__ == "__main__":
    play(choose)
