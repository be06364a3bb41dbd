"""The cards of a hand, sorted by what a seat may do with them."""

from __future__ import annotations

from pentathlon_engines.tash_kalar.actions import DISCARDS
from pentathlon_engines.tash_kalar.board import bits_of
from pentathlon_engines.tash_kalar.cards.catalogue import FIRST_FLARE, FIRST_LEGEND
from pentathlon_engines.tash_kalar.constants import HAND_BEINGS, HAND_LEGENDS


class Hand:
    """A sorted hand. It is immutable, so copies of a position share it."""

    __slots__ = ("_in_order", "beings", "cards", "discards", "is_full", "mask")

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
        self._in_order: list[int] | None = None
        schooled = len(self.discards)
        self.is_full: bool = (
            schooled >= HAND_BEINGS
            and len(self.beings) - schooled >= HAND_LEGENDS
            and last >= FIRST_FLARE
        )
        """Whether the hand is full, so the seat draws no card at the end of a turn."""

    @property
    def in_order(self) -> list[int]:
        """The discards in the order of their texts, needed only for listings."""
        if self._in_order is None:
            self._in_order = sorted(self.discards)
        return self._in_order


EMPTY: Hand = Hand(0)
