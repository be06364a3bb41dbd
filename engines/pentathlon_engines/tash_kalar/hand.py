"""The cards of a hand, sorted by what a seat may do with them."""

from __future__ import annotations

from pentathlon_engines.tash_kalar.actions import DISCARDS
from pentathlon_engines.tash_kalar.board import bits_of
from pentathlon_engines.tash_kalar.cards.catalogue import FIRST_FLARE, FIRST_LEGEND
from pentathlon_engines.tash_kalar.constants import HAND_BEINGS, HAND_LEGENDS


class Hand:
    """A hand that was looked at. It is never changed, so that copies of a position share it."""

    __slots__ = ("beings", "cards", "discards", "in_order", "is_full", "mask")

    def __init__(self, mask: int) -> None:
        self.mask = mask
        cards = bits_of(mask)
        self.cards: list[int] = cards
        """All cards in ascending order."""
        last = cards[-1] if cards else -1
        self.beings: list[int] = cards[:-1] if last >= FIRST_FLARE else cards
        """The cards that can be summoned."""
        self.discards: list[int] = [DISCARDS[card] for card in cards if card < FIRST_LEGEND]
        """The discards of beings of a school, in the order of the cards."""
        self.in_order: list[int] = sorted(self.discards)
        """The same in the order of their texts."""
        schooled = len(self.discards)
        self.is_full: bool = (
            schooled >= HAND_BEINGS
            and len(self.beings) - schooled >= HAND_LEGENDS
            and last >= FIRST_FLARE
        )
        """Whether nothing is drawn to it at the end of a turn."""


EMPTY: Hand = Hand(0)
