"""The parts of a hand by kind, and the actions that depend on its cards alone."""

from __future__ import annotations

from pentathlon_engines.contract.compiler import mypyc_attr
from pentathlon_engines.tash_kalar.actions import DISCARDS
from pentathlon_engines.tash_kalar.board import mask
from pentathlon_engines.tash_kalar.cards.catalogue import FIRST_FLARE, FIRST_LEGEND, LEGEND_CARDS
from pentathlon_engines.tash_kalar.constants import HAND_BEINGS, HAND_LEGENDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_LEGENDS: Final[int] = mask(LEGEND_CARDS)


@mypyc_attr(acyclic=True)
class Hand:
    """A hand of sorted cards. It is immutable, so copies of a position share it."""

    __slots__ = ("_in_order", "beings", "cards", "is_full", "schooled")

    def __init__(self, cards: list[int]) -> None:
        self.cards = cards
        """All cards in ascending order."""
        has_flare = len(cards) > 0 and cards[-1] >= FIRST_FLARE
        self.beings: list[int] = cards[:-1] if has_flare else cards
        """The cards that can be summoned."""
        self.schooled: int = count_schooled(cards)
        """How many of the cards, counted from the first, are beings of a school."""
        self._in_order: list[int] | None = None
        self.is_full: bool = (
            has_flare
            and self.schooled >= HAND_BEINGS
            and len(self.beings) - self.schooled >= HAND_LEGENDS
        )
        """Whether the hand is full, so that the seat draws no card at the end of a turn."""

    @property
    def in_order(self) -> list[int]:
        """The discards of beings in the order of their texts, needed only for listings."""
        if self._in_order is None:
            self._in_order = sorted([DISCARDS[card] for card in self.cards[: self.schooled]])
        return self._in_order


def count_schooled(cards: list[int]) -> int:
    """Return how many of some sorted cards are beings of a school."""
    schooled = 0
    for card in cards:
        if card >= FIRST_LEGEND:
            break
        schooled += 1
    return schooled


def cards_of_kind(cards: list[int], kind: int) -> int:
    """Return the mask of the beings (0), legends (1) or flares (2) among some cards."""
    found = mask(cards)
    if kind == 0:
        return found & (1 << FIRST_LEGEND) - 1
    if kind == 1:
        return found & _LEGENDS
    return found >> FIRST_FLARE << FIRST_FLARE


# Compiled, methods of lists compare card after card by calls through Python.
def insert_card(cards: list[int], card: int) -> None:
    """Put a card into a sorted list."""
    at = len(cards)
    while at > 0 and cards[at - 1] > card:
        at -= 1
    cards.insert(at, card)


def remove_card(cards: list[int], card: int) -> None:
    """Take a card out of a list that has it."""
    at = 0
    while cards[at] != card:
        at += 1
    cards.pop(at)
