"""Chance events of Azure, as texts that contain the whole outcome.

`setup B1.1 V2.3 A2.2 W1.0 AV WWB VABWBVA` gives the boards from top left to bottom right, both
hands and the hidden deck, its top card first. `reshuffle AVWBBWVA` gives a new hidden deck.
"""

from __future__ import annotations

from itertools import combinations_with_replacement

from pentathlon_engines.azure.board import (
    ALL_CARDS,
    BOARDS,
    COLOURS,
    HIDDEN_EACH,
    RESHUFFLE_EACH,
    START_HANDS,
    letters,
    pack,
)
from pentathlon_engines.azure.realm import BOARD_NAMES, FACES, ROTATIONS, is_layout
from pentathlon_engines.contract.draws import shuffle

TYPE_CHECKING = False
if TYPE_CHECKING:
    from random import Random
    from typing import Final

    from pentathlon_engines.azure.realm import Layout

    Setup = tuple[Layout, tuple[int, int], tuple[int, ...]]

SETUP_GRAMMAR: Final = (
    f"'setup', {BOARDS} boards of all colours as <face>.<rotation>, hands of {START_HANDS[0]} and "
    f"{START_HANDS[1]} cards in the order {COLOURS}, and the hidden deck, with {HIDDEN_EACH} "
    "cards of each colour in all"
)
_NUMBERS: Final[dict[str, int]] = {letter: i for i, letter in enumerate(COLOURS)}
_FACES_EACH: Final = len(FACES) // len(COLOURS)
_PILE: Final = [colour for colour in range(len(COLOURS)) for _ in range(HIDDEN_EACH)]
"""The colours of the cards dealt or hidden at the start."""
_PILED: Final[int] = sum([1 << 4 * colour for colour in _PILE])
FACE_UP: Final[int] = ALL_CARDS - _PILED
"""All other cards, which lie face up at the start."""
_DEALT: Final = sum(START_HANDS)
_HANDS: Final[tuple[dict[str, int], ...]] = tuple(
    [
        {"".join(hand): pack("".join(hand)) for hand in combinations_with_replacement(COLOURS, n)}
        for n in START_HANDS
    ]
)
"""By seat, the cards of each hand that can be dealt, by its letters."""


def draw_setup(rng: Random) -> str:
    """Draw faces, rotations, places and the order of the hidden deck, in this order (4.7)."""
    draw = rng.random
    words: list[str] = []
    for first in range(0, len(BOARD_NAMES), _FACES_EACH * ROTATIONS):
        face = first + ROTATIONS * int(draw() * _FACES_EACH)
        words.append(BOARD_NAMES[face + int(draw() * ROTATIONS)])
    shuffle(words, rng)
    pile = _PILE[:]
    shuffle(pile, rng)
    dealt = START_HANDS[0]
    words += [_letters(sorted(pile[:dealt])), _letters(sorted(pile[dealt:_DEALT]))]
    return f"setup {' '.join(words)} {_letters(pile[_DEALT:])}"


def _letters(cards: list[int]) -> str:
    return "".join([COLOURS[colour] for colour in cards])


def read_setup(text: str) -> Setup | None:
    """Return layout, hands and hidden deck of a possible text, or None."""
    words = text.split(" ")
    if len(words) != BOARDS + 4 or words[0] != "setup" or not is_layout(words[1:-3]):
        return None
    first, second = _HANDS[0].get(words[-3]), _HANDS[1].get(words[-2])
    if first is None or second is None or words[-1].strip(COLOURS):
        return None
    deck = order(words[-1])
    piled = first + second
    for colour in deck:
        piled += 1 << 4 * colour
    if piled != _PILED or len(deck) != len(_PILE) - _DEALT:
        return None
    return tuple(words[1:-3]), (first, second), deck


def order(text: str) -> tuple[int, ...]:
    """Return the colours of a deck, from the top."""
    return tuple([_NUMBERS[letter] for letter in text])


def reshuffled(decks: int) -> int:
    """Return the cards that go from the face-up decks into a new hidden deck (9.2)."""
    return sum(
        min(RESHUFFLE_EACH, decks >> 4 * colour & 15) << 4 * colour
        for colour in range(len(COLOURS))
    )


def deck_letters(decks: int) -> str:
    """Return the letters of a new hidden deck, in the order of the colours."""
    return letters(reshuffled(decks))


def draw_deck(decks: int, rng: Random) -> str:
    """Shuffle a new hidden deck."""
    cards = list(deck_letters(decks))
    shuffle(cards, rng)
    return f"reshuffle {''.join(cards)}"


def read_deck(text: str, decks: int) -> tuple[int, ...] | None:
    """Return the new hidden deck of a possible text, or None."""
    word, _, cards = text.partition(" ")
    if word != "reshuffle" or sorted(cards) != sorted(deck_letters(decks)):
        return None
    return order(cards)


def all_decks(decks: int) -> list[tuple[str, int]]:
    """Return all orders of a new hidden deck; they are equally likely."""
    return [(f"reshuffle {cards}", 1) for cards in _orders(reshuffled(decks))]


def _orders(cards: int) -> list[str]:
    if not cards:
        return [""]
    return [
        letter + rest
        for colour, letter in enumerate(COLOURS)
        if cards >> 4 * colour & 15
        for rest in _orders(cards - (1 << 4 * colour))
    ]


def hide(text: str, seat: int | None) -> str:
    """Return a text with a question mark for each card that the seat does not see.

    >>> hide("setup B1.1 V2.3 A2.2 W1.0 AV WWB VABWBVA", 0)
    'setup B1.1 V2.3 A2.2 W1.0 AV ??? ???????'
    """
    words = text.split(" ")
    first = 1 if words[0] == "reshuffle" else len(words) - 3
    for index in range(first, len(words)):
        if words[0] == "reshuffle" or index - first != seat:
            words[index] = "?" * len(words[index])
    return " ".join(words)
