"""Five dice and their meaning; sections in brackets are those of the rules page.

Dice without their order are a number: the index of their word in `WORDS`, where all words of none
to five dice stand sorted by length, then by letters. So the numbers of dice to keep are those of
the actions to keep them, in the order of the rules (9).

>>> WORDS[NUMBERS["wwmdd"]]
'wwmdd'
>>> [WORDS[kept] for kept in PARTS[NUMBERS["wwwww"]]]
['', 'w', 'ww', 'www', 'wwww']
"""

from __future__ import annotations

from itertools import chain, combinations_with_replacement

from pentathlon_engines.light_json import read_data

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from pentathlon_engines.contract.compiler import i64
    from pentathlon_engines.contract.game import Draw


def _words() -> tuple[str, ...]:
    return tuple(
        "".join(word)
        for size in range(DICE + 1)
        for word in combinations_with_replacement(FACES, size)
    )


def _parts(word: str) -> list[int]:
    """Return the numbers of all dice that can be kept of some dice, except all of them."""
    kept = {""}
    for letter in word:
        kept |= {part + letter for part in kept}
    return sorted(NUMBERS[part] for part in kept if part != word)


def _called(counts: bytes) -> list[int]:
    """Return the paths on which the dragon may be called (4.5)."""
    dragons = counts[DRAGON]
    if dragons < RULES["dragons_to_call"]:
        return []
    paths = range(DRAGON)
    return [path for path in paths if dragons == DICE or counts[path]]


def _rolled() -> list[list[int]]:
    """Return, for all dice that may be kept, the results of rolling the others in every way."""
    rolled = [[number] for number in range(len(WORDS))]
    numbers = {packed: number for number, packed in enumerate(_PACKED)}
    for number in reversed(range(ALL)):
        more = [rolled[numbers[_PACKED[number] + (1 << 4 * face)]] for face in range(len(FACES))]
        rolled[number] = list(chain.from_iterable(more))
    return rolled


RULES: Final[dict[str, Any]] = read_data(__file__, "rules.json")  # JSON
DICE: Final[int] = RULES["dice"]
REROLLS: Final[int] = RULES["rolls_per_turn"] - 1
LETTERS: Final[str] = "".join(path["letter"] for path in RULES["paths"])
FACES: Final[str] = LETTERS + RULES["dragon"]
DRAGON: Final = len(LETTERS)
"""The face of the celestial dragon; the faces before it are the paths."""

WORDS: Final = _words()
NUMBERS: Final[dict[str, int]] = {word: number for number, word in enumerate(WORDS)}
NONE: Final = 0
"""No dice at all."""
ALL: Final[int] = sum(len(word) < DICE for word in WORDS)
"""The lowest number of five dice; lower numbers are of dice that can be kept."""

COUNTS: Final = [bytes(word.count(face) for face in FACES) for word in WORDS]
"""How many dice show each face, by the number of the dice."""
SHOWN: Final = [
    [path << 3 | count for path, count in enumerate(counts[:DRAGON]) if count] for counts in COUNTS
]
"""By the number of the dice, path x 8 + how many dice show its element, for those shown."""
PARTS: Final = [_parts(word) if len(word) == DICE else [] for word in WORDS]
"""By the number of five dice, the dice that can be kept to roll the others again."""
CALLED: Final = [_called(counts) for counts in COUNTS]
IS_BALANCED: Final = bytes(word == LETTERS for word in WORDS)
"""Whether dice are an equilibrium, by their number (4.6)."""
IS_PERFECT: Final = bytes(DICE in counts[:DRAGON] for counts in COUNTS)
"""Whether dice are a perfection, by their number (4.7)."""
_PACKED: Final = [sum(count << 4 * face for face, count in enumerate(counts)) for counts in COUNTS]
"""The counts of the faces by the number of the dice, in four bits each."""
ROLLED: Final = _rolled()
"""By the number of kept dice, the outcomes of all rolls of the others; the first counts most."""


def roll(kept: i64, draw: Draw) -> i64:
    """Roll the dice that are not kept, drawing one number for each; return all dice."""
    ways = ROLLED[kept]
    faces, found, n = len(FACES), 0, 1
    while n < len(ways):
        found = found * faces + int(draw() * faces)
        n *= faces
    return ways[found]


def throw(kept: i64, draw: Draw) -> i64:
    """Roll with one number for all dice, for playouts, which no record has to repeat."""
    ways = ROLLED[kept]
    n = len(ways)
    return ways[int(draw() * n)]


def rolls(kept: int) -> list[tuple[int, int]]:
    """Return all results of rolling the dice beside these, each with its number of ways.

    >>> [(WORDS[dice], ways) for dice, ways in rolls(NUMBERS["wwww"])][:2]
    [('wwwww', 1), ('wwwwf', 1)]
    """
    ways: dict[int, int] = {}
    for dice in ROLLED[kept]:
        ways[dice] = ways.get(dice, 0) + 1
    return list(ways.items())


def is_part(kept: i64, dice: i64) -> bool:
    """Return whether all kept dice are among these dice."""
    return (_PACKED[dice] | _ROOM) - _PACKED[kept] & _ROOM == _ROOM


_ROOM: Final[int] = sum(8 << 4 * face for face in range(len(FACES)))
"""A bit above each count, which is borrowed if too much is subtracted from the count."""
