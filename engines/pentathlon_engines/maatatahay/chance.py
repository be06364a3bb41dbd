"""Chance events of Maatatahay, all of them before the first round (3.7).

`setup 1 9.2 5.12 1.10 ess,e,... 3.8.7 6.1.4 es...` gives the active seat, the pairs of the stream
(Balan tile, Wazu tile), the crystals on each space that has some in reading order (spirit `s`
before energy `e`), both decks and the bag; the last item of decks and bag is drawn next.
"""

from __future__ import annotations

from pentathlon_engines.contract.draws import shuffle
from pentathlon_engines.maatatahay.board import (
    BAG_ENERGY,
    BAG_SPIRIT,
    GROUND,
    SPACES,
    STREAM,
    TILES,
    pair_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from random import Random
    from typing import Final

LAID: Final = tuple(space for space in range(len(SPACES)) if GROUND[space])
"""The spaces on which crystals are laid, in reading order."""
_WORDS: Final = 2 + STREAM + 4
_HIDDEN: Final = _WORDS - 3
"""The index of the first word that nobody may see."""
_PAIRS: Final = {
    f"{balan}.{wazu}": pair_of(balan, wazu)
    for balan in range(1, TILES + 1)
    for wazu in range(1, TILES + 1)
}
_GROUPS: Final = {
    "s" * spirit + "e" * energy: (spirit, energy)
    for spirit in range(max(GROUND) + 1)
    for energy in range(max(GROUND) + 1)
}
"""The spirit and energy of each group that may lie on a space, by its text."""
_CRYSTALS: Final = "e" * BAG_ENERGY + "s" * BAG_SPIRIT
GRAMMAR: Final = (
    f"'setup', the active seat, {STREAM} pairs as <tile>.<tile>, {len(LAID)} groups of s and e "
    "with commas, two decks of the other tiles with points, and the bag with the other crystals"
)


class Setup:
    """All that is drawn before the first round.

    The last of the pairs are the stream; of the others, as of the bag, the next draw is the last.
    """

    __slots__ = ("active", "bag", "ground", "pairs")

    def __init__(
        self, active: int, pairs: list[int], ground: list[tuple[int, int]], bag: str
    ) -> None:
        self.active = active
        self.pairs = pairs
        self.ground = ground
        self.bag = bag


def draw_setup(rng: Random) -> str:
    """Shuffle decks and bag, lay crystals, draw the active seat, reveal pairs (3.7)."""
    balan, wazu = _TILE_WORDS[:], _TILE_WORDS[:]
    crystals = list(_CRYSTALS)
    for items in (balan, wazu, crystals):
        shuffle(items, rng)
    ground = ",".join([_draw_crystals(crystals, GROUND[space]) for space in LAID])
    active = int(rng.random() * 2)
    pairs = " ".join([f"{balan.pop()}.{wazu.pop()}" for _ in range(STREAM)])
    decks = f"{'.'.join(balan)} {'.'.join(wazu)}"
    return f"setup {active} {pairs} {ground} {decks} {''.join(crystals)}"


_TILE_WORDS: Final = [str(tile) for tile in range(1, TILES + 1)]


def _draw_crystals(crystals: list[str], n: int) -> str:
    """Take crystals from the end and sort them, as they have no order on the ground."""
    drawn = crystals.pop()
    for _ in range(n - 1):
        crystal = crystals.pop()
        drawn = crystal + drawn if crystal == "s" else drawn + crystal
    return drawn


def read_setup(text: str) -> Setup | None:
    """Return the setup of a possible text, or None."""
    words = text.split(" ")
    if len(words) != _WORDS or words[0] != "setup" or words[1] not in ("0", "1"):
        return None
    pairs = _read_pairs(words)
    ground = [_GROUPS.get(group, (0, 0)) for group in words[_HIDDEN - 1].split(",")]
    bag = words[-1]
    if pairs is None or not _is_laid(ground, bag):
        return None
    return Setup(int(words[1]), pairs, ground, bag)


def _read_pairs(words: list[str]) -> list[int] | None:
    """Return the pairs of both decks, the revealed ones last; None if tiles are missing."""
    balan, wazu = words[_HIDDEN].split("."), words[_HIDDEN + 1].split(".")
    if not len(balan) == len(wazu) == TILES - STREAM:
        return None
    texts = [f"{tile}.{other}" for tile, other in zip(balan, wazu, strict=True)]
    pairs = [_PAIRS.get(text, 0) for text in texts + words[2 : 2 + STREAM]]
    tiles = {pair >> 4 for pair in pairs} & {pair & 15 for pair in pairs}
    return pairs if len(tiles) == TILES and 0 not in tiles else None


def _is_laid(ground: list[tuple[int, int]], bag: str) -> bool:
    """Return whether these are all crystals, with the right number on each space."""
    if [spirit + energy for spirit, energy in ground] != _LAID_CRYSTALS:
        return False
    spirit, energy = bag.count("s"), bag.count("e")
    return (
        spirit + energy == len(bag)
        and spirit + sum([laid for laid, _ in ground]) == BAG_SPIRIT
        and energy + sum([laid for _, laid in ground]) == BAG_ENERGY
    )


_LAID_CRYSTALS: Final = [GROUND[space] for space in LAID]


def hide(text: str) -> str:
    """Return a setup with a question mark for each tile and crystal that nobody sees (10.2)."""
    words = text.split(" ")
    return " ".join([*words[:_HIDDEN], *("?" * _size(word) for word in words[_HIDDEN:])])


def _size(word: str) -> int:
    """Return how many tiles or crystals a word stands for."""
    return word.count(".") + 1 if "." in word else len(word)
