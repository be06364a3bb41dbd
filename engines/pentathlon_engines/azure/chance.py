"""What chance decides in Azure, as texts that carry all of it.

`setup B1.1 V2.3 A2.2 W1.0 AV WWB VABWBVA` gives the boards from top left to bottom right, both
hands and the hidden deck, its top card first. `reshuffle AVWBBWVA` gives a new hidden deck.
"""

from __future__ import annotations

from pentathlon_engines.azure.board import (
    BOARDS,
    COLOURS,
    HIDDEN_EACH,
    RESHUFFLE_EACH,
    START_HANDS,
    letters,
    pack,
)
from pentathlon_engines.azure.realm import FACES, ROTATIONS, is_layout

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
_FACES_EACH: Final = len(FACES) // len(COLOURS)
_PILE: Final[int] = sum(HIDDEN_EACH << 4 * colour for colour in range(len(COLOURS)))
"""The cards that are dealt or hidden at the start."""


def draw_setup(rng: Random) -> str:
    """Draw faces, rotations, places and the order of the hidden deck, in this order (4.7)."""
    boards = []
    for colour in COLOURS:
        face = 1 + int(rng.random() * _FACES_EACH)
        boards.append(f"{colour}{face}.{int(rng.random() * ROTATIONS)}")
    rng.shuffle(boards)
    pile = list(letters(_PILE))
    rng.shuffle(pile)
    first, second = START_HANDS
    hands = ("".join(pile[:first]), "".join(pile[first : first + second]))
    dealt = [letters(pack(hand)) for hand in hands]
    return " ".join(["setup", *boards, *dealt, "".join(pile[first + second :])])


def read_setup(text: str) -> Setup | None:
    """Return layout, hands and hidden deck of a text that can happen, else None."""
    words = text.split(" ")
    if len(words) != BOARDS + 4 or words[0] != "setup" or not is_layout(words[1:-3]):
        return None
    cards = words[-3:]
    if not all(letter in COLOURS for letter in "".join(cards)):
        return None
    hands = (pack(cards[0]), pack(cards[1]))
    sizes = tuple(len(hand) for hand in cards[:2])
    if sizes != START_HANDS or [letters(hand) for hand in hands] != cards[:2]:
        return None
    if letters(_PILE) != "".join(sorted("".join(cards), key=COLOURS.index)):
        return None
    return tuple(words[1:-3]), hands, order(cards[2])


def order(text: str) -> tuple[int, ...]:
    """Return the colours of a deck from the top."""
    return tuple(COLOURS.index(letter) for letter in text)


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
    rng.shuffle(cards)
    return f"reshuffle {''.join(cards)}"


def read_deck(text: str, decks: int) -> tuple[int, ...] | None:
    """Return the new hidden deck of a text that can happen, else None."""
    word, _, cards = text.partition(" ")
    if word != "reshuffle" or sorted(cards) != sorted(deck_letters(decks)):
        return None
    return order(cards)


def all_decks(decks: int) -> list[tuple[str, int]]:
    """Return all orders of a new hidden deck; each comes about in equally many ways."""
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
