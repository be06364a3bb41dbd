"""What chance decides in Maatatahay, all of it before the first round (3.7).

`setup 1 9.2 5.12 1.10 ess,e,... 3.8.7 6.1.4 es...` gives the active seat, the pairs of the stream
(Balan tile, Wazu tile), the crystals on each space that has some in reading order (spirit `s`
before energy `e`), both decks and the bag; of decks and bag the next draw is the last.
"""

from __future__ import annotations

from pentathlon_engines.maatatahay.board import (
    BAG_ENERGY,
    BAG_SPIRIT,
    GROUND,
    SPACES,
    STREAM,
    TILES,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from random import Random
    from typing import Final

    Pair = tuple[int, int]
    Decks = tuple[tuple[int, ...], tuple[int, ...]]

LAID: Final = tuple(space for space in range(len(SPACES)) if GROUND[space])
"""The spaces on which crystals are laid, in reading order."""
_WORDS: Final = 2 + STREAM + 4
_HIDDEN: Final = _WORDS - 3
"""The first word that nobody may see."""
_CRYSTALS: Final = "e" * BAG_ENERGY + "s" * BAG_SPIRIT
GRAMMAR: Final = (
    f"'setup', the active seat, {STREAM} pairs as <tile>.<tile>, {len(LAID)} groups of s and e "
    "with commas, two decks of the other tiles with points, and the bag with the other crystals"
)


class Setup:
    """All that is drawn before the first round; of decks and bag the next draw is the last."""

    __slots__ = ("active", "bag", "decks", "ground", "stream")

    def __init__(
        self, active: int, stream: tuple[Pair, ...], ground: list[str], decks: Decks, bag: str
    ) -> None:
        self.active = active
        self.stream = stream
        self.ground = ground
        self.decks = decks
        self.bag = bag

    def text(self) -> str:
        """Return the one text of this setup."""
        pairs = [f"{balan}.{wazu}" for balan, wazu in self.stream]
        decks = [".".join(map(str, deck)) for deck in self.decks]
        return " ".join(
            ["setup", str(self.active), *pairs, ",".join(self.ground), *decks, self.bag]
        )


def draw_setup(rng: Random) -> str:
    """Shuffle decks and bag, lay crystals, draw the active seat, reveal pairs (3.7)."""
    balan, wazu = list(range(1, TILES + 1)), list(range(1, TILES + 1))
    crystals = list(_CRYSTALS)
    rng.shuffle(balan)
    rng.shuffle(wazu)
    rng.shuffle(crystals)
    ground = ["".join(_drawn(crystals, GROUND[space])) for space in LAID]
    active = int(rng.random() * 2)
    stream = tuple((balan.pop(), wazu.pop()) for _ in range(STREAM))
    return Setup(active, stream, ground, (tuple(balan), tuple(wazu)), "".join(crystals)).text()


def _drawn(crystals: list[str], n: int) -> list[str]:
    """Take crystals from the end; on the ground they have no order."""
    return sorted((crystals.pop() for _ in range(n)), reverse=True)


def read_setup(text: str) -> Setup | None:
    """Return the setup of a text that can happen, else None."""
    words = text.split(" ")
    if len(words) != _WORDS or words[0] != "setup" or words[1] not in ("0", "1"):
        return None
    pairs = [_numbers(word) for word in words[2 : 2 + STREAM]]
    first, second = (_numbers(word) for word in words[-3:-1])
    ground, bag = words[_HIDDEN - 1].split(","), words[-1]
    if any(len(pair) != len("BW") for pair in pairs) or not _is_laid(ground, bag):
        return None
    stream = tuple((pair[0], pair[1]) for pair in pairs)
    if not (_is_whole(first, stream, 0) and _is_whole(second, stream, 1)):
        return None
    setup = Setup(int(words[1]), stream, ground, (first, second), bag)
    return setup if setup.text() == text else None


def _numbers(word: str) -> tuple[int, ...]:
    """Return the numbers of a word of the text, nothing if they are none."""
    parts = word.split(".")
    return tuple(int(part) for part in parts) if all(part in _IDS for part in parts) else ()


_IDS: Final = frozenset(str(tile) for tile in range(1, TILES + 1))


def _is_whole(deck: tuple[int, ...], stream: tuple[Pair, ...], seat: int) -> bool:
    """Say whether a deck and its tiles of the stream are all tiles of a tribe."""
    return sorted([*deck, *(pair[seat] for pair in stream)]) == list(range(1, TILES + 1))


def _is_laid(ground: list[str], bag: str) -> bool:
    """Say whether these are all crystals, as many on each space as there must be."""
    return (
        [len(group) for group in ground] == [GROUND[space] for space in LAID]
        and all(group == "".join(sorted(group, reverse=True)) for group in ground)
        and "".join(sorted("".join([*ground, bag]))) == _CRYSTALS
    )


def hide(text: str) -> str:
    """Return a setup with a question mark for each tile and crystal that nobody sees (10.2)."""
    words = text.split(" ")
    return " ".join([*words[:_HIDDEN], *("?" * _size(word) for word in words[_HIDDEN:])])


def _size(word: str) -> int:
    """Return how many tiles or crystals a word stands for."""
    return word.count(".") + 1 if "." in word else len(word)
