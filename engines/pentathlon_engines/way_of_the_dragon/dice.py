"""Five dice and what they mean; sections in brackets are those of the rules page.

Dice without their order are a number: the index of their word in `WORDS`, where all words of none
to five dice stand sorted by length, then by letters. So the numbers of dice to keep are those of
the actions to keep them, in the order of the rules (9).

>>> WORDS[NUMBERS["wwmdd"]]
'wwmdd'
>>> [WORDS[kept] for kept in PARTS[NUMBERS["wwwww"]]]
['', 'w', 'ww', 'www', 'wwww']
"""

from __future__ import annotations

from itertools import combinations_with_replacement
from math import factorial

from pentathlon_engines.data import read_data

TYPE_CHECKING = False
if TYPE_CHECKING:
    from random import Random
    from typing import Any, Final


def _words() -> tuple[str, ...]:
    return tuple(
        "".join(word)
        for size in range(DICE + 1)
        for word in combinations_with_replacement(FACES, size)
    )


def _parts(word: str) -> tuple[int, ...]:
    """Return the numbers of all that can be kept of some dice, but not all of them."""
    kept = {""}
    for letter in word:
        kept |= {part + letter for part in kept}
    return tuple(sorted(NUMBERS[part] for part in kept if part != word))


def _ways(word: str) -> int:
    """Return in how many ways dice that are rolled can show a word."""
    ways = factorial(len(word))
    for face in FACES:
        ways //= factorial(word.count(face))
    return ways


def _called(counts: tuple[int, ...]) -> tuple[int, ...]:
    """Return the paths on which the dragon may be called (4.5)."""
    dragons = counts[DRAGON]
    if dragons < RULES["dragons_to_call"]:
        return ()
    paths = range(DRAGON)
    return tuple(path for path in paths if dragons == DICE or counts[path])


RULES: Final[dict[str, Any]] = read_data(__file__, "rules.json")  # JSON
DICE: Final[int] = RULES["dice"]
LETTERS: Final[str] = "".join(path["letter"] for path in RULES["paths"])
FACES: Final[str] = LETTERS + RULES["dragon"]
DRAGON: Final = len(LETTERS)
"""The face of the celestial dragon; the faces before it are the paths."""

WORDS: Final = _words()
NUMBERS: Final[dict[str, int]] = {word: number for number, word in enumerate(WORDS)}
NONE: Final = 0
"""No dice at all."""
ALL: Final[int] = sum(len(word) < DICE for word in WORDS)
"""The first number of all dice together; smaller ones are dice that can be kept."""

COUNTS: Final = tuple(tuple(word.count(face) for face in FACES) for word in WORDS)
"""For each number how many dice show each face."""
PARTS: Final = tuple(_parts(word) if len(word) == DICE else () for word in WORDS)
"""For all dice together the dice that can be kept to roll the others again."""
CALLED: Final = tuple(_called(counts) for counts in COUNTS)
IS_BALANCED: Final = tuple(word == LETTERS for word in WORDS)
"""Whether the dice are an equilibrium (4.6)."""
IS_PERFECT: Final = tuple(DICE in counts[:DRAGON] for counts in COUNTS)
"""Whether the dice are a perfection (4.7)."""

_ONE: Final = tuple(1 << 3 * face for face in range(len(FACES)))
_PACKED: Final = tuple(
    sum(count * one for count, one in zip(counts, _ONE, strict=True)) for counts in COUNTS
)
_BY_PACKED: Final = {packed: number for number, packed in enumerate(_PACKED)}


def roll(kept: int, rng: Random) -> int:
    """Return all dice after the ones that are not kept were rolled."""
    packed = _PACKED[kept]
    for _ in range(DICE - len(WORDS[kept])):
        packed += _ONE[int(rng.random() * len(_ONE))]
    return _BY_PACKED[packed]


def rolls(kept: int) -> list[tuple[int, int]]:
    """Return all that a roll beside these dice can give, each with its number of ways.

    >>> [(WORDS[dice], ways) for dice, ways in rolls(NUMBERS["wwww"])][:2]
    [('wwwww', 1), ('wwwwf', 1)]
    """
    size = DICE - len(WORDS[kept])
    fresh = (number for number, word in enumerate(WORDS) if len(word) == size)
    return [(_BY_PACKED[_PACKED[kept] + _PACKED[new]], _ways(WORDS[new])) for new in fresh]


def is_part(kept: int, dice: int) -> bool:
    """Say whether dice are among others."""
    return all(part <= whole for part, whole in zip(COUNTS[kept], COUNTS[dice], strict=True))
