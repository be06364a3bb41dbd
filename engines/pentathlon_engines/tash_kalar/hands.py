"""The hands of a match of Tash-Kalar, as masks of cards by seat."""

from __future__ import annotations

from pentathlon_engines.tash_kalar.cards.catalogue import FIRST_FLARE, FIRST_LEGEND, LEGEND_CARDS
from pentathlon_engines.tash_kalar.expansions import ExpansionTable
from pentathlon_engines.tash_kalar.geometry import bits_of, mask

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_SCHOOL_CARDS: Final[int] = (1 << FIRST_LEGEND) - 1
_LEGEND_CARDS: Final[int] = mask(LEGEND_CARDS)
_FLARE_SHIFT: Final = FIRST_FLARE


class Hands(ExpansionTable):
    """What the seats have in hand."""

    __slots__ = ("_hand", "_held", "hands")

    def reset_hands(self) -> None:
        """Leave both hands empty."""
        self.hands: list[int] = [0, 0]
        self._hand: int = 0
        self._held: list[int] = []
        """The hand that was last looked at, as a mask and as a list that is only read."""

    def copy_hands_to(self, twin: Hands) -> None:
        """Make the hands of another table equal."""
        twin.hands = self.hands[:]
        twin._hand = self._hand
        twin._held = self._held

    def held(self, seat: int) -> list[int]:
        """Return the cards in a hand in ascending order, in a list that is only read."""
        hand = self.hands[seat]
        if hand != self._hand:
            self._hand, self._held = hand, bits_of(hand)
        return self._held

    def loose(self, seat: int) -> list[int]:
        """Return the cards in a hand without the pending one (18.3), which stays in it."""
        if not self.pending:
            return self.held(seat)
        return bits_of(self.hands[seat] & ~self.pending)

    def hand_of(self, seat: int, kind: int) -> int:
        """Return the beings (0), legends (1) or flares (2) in a hand as a mask."""
        hand = self.hands[seat]
        if kind == 0:
            return hand & _SCHOOL_CARDS
        if kind == 1:
            return hand & _LEGEND_CARDS
        return hand >> _FLARE_SHIFT << _FLARE_SHIFT
