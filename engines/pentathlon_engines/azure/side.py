"""One side of the table in Azure: what belongs to a seat, and what the spaces cost it."""

from __future__ import annotations

from pentathlon_engines.azure.board import BOARD_BITS, COMMON_STONES, ONE_OF_EACH, PER_BOARD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pentathlon_engines.azure.realm import Realm


class Side:
    """Cards and stones of a seat; sets of cards are packed numbers, stones a mask.

    The costs are four masks, one for each board from the top left to the bottom right: the
    spaces that cost more than 0, 1, 2 ... cards, `PER_BOARD` bits each time. In a match with
    gifted stones they are the costs of one; a common stone costs so much less.
    """

    __slots__ = (
        "_first",
        "_fourth",
        "_second",
        "_third",
        "gifted",
        "hand",
        "known",
        "stones",
        "supply",
        "wisdom",
    )

    def __init__(self) -> None:
        self.hand = 0
        self.known = 0
        """What the other seat knows to be in the hand."""
        self.stones = 0
        self.supply: int = COMMON_STONES
        self.gifted = -1
        """The cell of the gifted stone."""
        self.wisdom = 0
        self._first = 0
        self._second = 0
        self._third = 0
        self._fourth = 0

    def copy(self) -> Side:
        """Return an independent twin."""
        twin = Side()
        twin.hand = self.hand
        twin.known = self.known
        twin.stones = self.stones
        twin.supply = self.supply
        twin.gifted = self.gifted
        twin.wisdom = self.wisdom
        twin._first = self._first
        twin._second = self._second
        twin._third = self._third
        twin._fourth = self._fourth
        return twin

    def set_costs(self, realm: Realm, extra: int) -> None:
        """Make all spaces cost what they do without bonds."""
        first, second, third, fourth = realm.boards
        self._first = first.dear[extra]
        self._second = second.dear[extra]
        self._third = third.dear[extra]
        self._fourth = fourth.dear[extra]

    def cheapen(self, cells: int, others: tuple[int, ...]) -> None:
        """Take one card off the cost of these cells: of each, what is one level up comes down."""
        part = cells & BOARD_BITS
        if part:
            self._first &= self._first >> PER_BOARD | others[part]
        part = cells >> PER_BOARD & BOARD_BITS
        if part:
            self._second &= self._second >> PER_BOARD | others[part]
        part = cells >> 2 * PER_BOARD & BOARD_BITS
        if part:
            self._third &= self._third >> PER_BOARD | others[part]
        part = cells >> 3 * PER_BOARD
        if part:
            self._fourth &= self._fourth >> PER_BOARD | others[part]

    def too_dear(self, shifts: tuple[int, int, int, int], saved: int) -> int:
        """Return the spaces that cost more cards than there are, for a stone that saves some."""
        hand = self.hand + saved * ONE_OF_EACH
        a, b, c, d = shifts
        return (
            self._first >> PER_BOARD * (hand >> a & 15) & BOARD_BITS
            | (self._second >> PER_BOARD * (hand >> b & 15) & BOARD_BITS) << 9
            | (self._third >> PER_BOARD * (hand >> c & 15) & BOARD_BITS) << 18
            | (self._fourth >> PER_BOARD * (hand >> d & 15) & BOARD_BITS) << 27
        )

    def cost(self, home: int, saved: int) -> int:
        """Return what the space with this home costs, for a stone that saves some cards."""
        if home < PER_BOARD:
            dear = self._first >> home
        elif home < 2 * PER_BOARD:
            dear = self._second >> home - PER_BOARD
        elif home < 3 * PER_BOARD:
            dear = self._third >> home - 2 * PER_BOARD
        else:
            dear = self._fourth >> home - 3 * PER_BOARD
        dear >>= PER_BOARD * saved
        cost = 0
        while dear & 1:
            dear >>= PER_BOARD
            cost += 1
        return cost
