"""A position of Azure: its fields and the legal actions.

Sections in brackets are those of the rules page. What an action does is in `moves.py`.
"""

from __future__ import annotations

from abc import abstractmethod

from pentathlon_engines.azure.actions import BOON_QI, BOON_WISDOM, GIFT, PAIRS, RETURN
from pentathlon_engines.azure.board import (
    ALL_CARDS,
    BOARD_BITS,
    BOON,
    COMMON_STONES,
    FAVORED,
    GIFT_COST,
    GIFTS,
    GUARDS_NEEDED,
    HOME,
    MIGHTY,
    ONE_OF_EACH,
    PER_BOARD,
    PERCEPTIVE,
    RETURNING,
    SETUP,
    TURN,
    cell_at,
    cells_of,
)
from pentathlon_engines.azure.realm import NOT_LAID, OTHER_BITS
from pentathlon_engines.contract.bits import IS_COMPILED, count_bits
from pentathlon_engines.contract.game import CHANCE, State

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pentathlon_engines.azure.events import Event
    from pentathlon_engines.azure.realm import Realm
    from pentathlon_engines.contract.game import Draw, Outcome


class AzurePosition(State):
    """The table. Lists of two are indexed by seat; sets of cards are packed numbers."""

    __slots__ = (
        "beasts",
        "before",
        "boon_at",
        "decider",
        "decks",
        "draws",
        "due",
        "extra",
        "gift",
        "hidden",
        "log",
        "mover",
        "payable",
        "phase",
        "realm",
        "sides",
    )

    def reset(self, options: dict[str, Any]) -> None:
        """Start with the position before the boards are laid."""
        self.options = options
        self.seats = 2
        self.to_move: int | None = CHANCE
        self.outcome: Outcome | None = None
        self.phase = SETUP
        self.gift: int = GIFTS.index(options["gifted"])
        self.extra: int = GIFT_COST[self.gift]
        """The extra cost of a gifted stone over a common one."""
        self.realm = NOT_LAID
        self.mover = 0
        """The seat whose stone turn it is; cards are returned by the other seat."""
        self.sides = [Side(), Side()]
        self.decks: int = ALL_CARDS
        self.hidden: tuple[int, ...] = ()
        self.beasts = [-1, -1, -1, -1]
        self.due = False
        """Whether a seat has already earned a beast, which occurs only in imported positions."""
        self.payable = 0
        """The spaces on which the seat on turn can place a common stone."""
        self.boon_at = -1
        self.draws = 0
        """The number of cards that the seat with the Bird still has to draw."""
        self.decider = 0
        """The seat that decided last."""
        self.log: list[Event] = []
        """The events from that decision on."""
        self.before: list[Event] = []
        """The events before `log`, starting with the other seat's last decision."""

    @abstractmethod
    def copy(self) -> AzurePosition:
        """Return an independent copy of this position."""

    @property
    def placed(self) -> int:
        """The number of stones placed: one in each stone turn."""
        if self.phase == SETUP:
            return 0
        return (self.taken & self.realm.spaces).bit_count()

    @property
    def taken(self) -> int:
        """The occupied cells."""
        return self.sides[0].stones | self.sides[1].stones

    @property
    def turn(self) -> int:
        """The number of the stone turn, from 1; a turn in which a seat is stuck counts too."""
        stuck = self.outcome is not None and self.outcome.reason == "stuck"
        return self.placed + (self.phase in (SETUP, TURN) or stuck)

    def legal_actions(self) -> list[int]:
        """Return common stones, then the gifted one, by cell; else returns or boons (13)."""
        if self.phase == TURN:
            actions = cells_of(self.payable)
            if self.gift and self.can_gift(self.mover):
                actions += [
                    GIFT + cell for cell in cells_of(self._payable(self.sides[self.mover], 0))
                ]
            return actions
        if self.phase == RETURNING:
            return [action for action in range(RETURN, BOON_QI) if self._can_return(action)]
        return [BOON_QI, BOON_WISDOM] if self.phase == BOON else []

    def look(self) -> None:
        """Update the spaces that the seat on turn can pay for, after any change."""
        side = self.sides[self.mover]
        self.payable = self._payable(side, self.extra) if side.supply else 0

    def can_act(self, seat: int) -> bool:
        """Return whether a seat could place a stone now (6.6, 11.5)."""
        side = self.sides[seat]
        if side.supply and self._payable(side, self.extra):
            return True
        return self.can_gift(seat) and self._payable(side, 0) != 0

    def _payable(self, side: Side, saved: int) -> int:
        """Return the spaces a seat can pay for with this discount on a gifted stone's cost."""
        realm = self.realm
        first, second = self.sides
        return realm.spaces & ~(first.stones | second.stones | side.too_dear(realm.shifts, saved))

    def can_gift(self, seat: int) -> bool:
        """Return whether a seat still has its gifted stone (11.2)."""
        return self.gift > 0 and self.sides[seat].gifted < 0

    def cost(self, action: int) -> int:
        """Return the cards that a `place` or `gift` of the seat on turn costs (6.3, 11.2)."""
        side = self.sides[self.mover]
        if action < GIFT:
            return side.cost(HOME[action], self.extra)
        return side.cost(HOME[action - GIFT], 0)

    def bond(self) -> None:
        """Compute the cost of all spaces for both seats from the stones on the board."""
        for side in self.sides:
            side.set_costs(self.realm, self.extra)
            if side.stones:
                for cell in cells_of(side.stones):
                    self.add_bonds(side, cell)

    def add_bonds(self, side: Side, cell: int) -> None:
        """Make spaces cheaper by the bonds of a new stone (6.4, 11.4)."""
        realm, others = self.realm, OTHER_BITS[self.extra]
        side.cheapen(realm.line(cell), others)
        if cell == side.gifted:
            if self.gift == MIGHTY:
                side.cheapen(realm.line(cell), others)
            elif self.gift == PERCEPTIVE:
                side.cheapen(realm.diagonal(cell), others)

    def is_legal(self, action: int) -> bool:
        """Return whether this action is legal for the seat to move."""
        if self.phase == TURN:
            return 0 <= action < RETURN and self._can_place(action)
        if self.phase == RETURNING:
            return RETURN <= action < BOON_QI and self._can_return(action)
        return self.phase == BOON and action in (BOON_QI, BOON_WISDOM)

    def _can_place(self, action: int) -> bool:
        if action < GIFT:
            return self.payable >> HOME[action] & 1 == 1
        if not self.can_gift(self.mover):
            return False
        return self._payable(self.sides[self.mover], 0) >> HOME[action - GIFT] & 1 == 1

    def _can_return(self, action: int) -> bool:
        x, y = PAIRS[action - RETURN]
        hand = self.sides[1 - self.mover].hand
        return hand >> 4 * x & 15 > (x == y) and hand >> 4 * y & 15 > 0

    def _draw_action(self, draw: Draw) -> int:
        """Draw a legal action uniformly at random, without listing the actions."""
        if self.phase == TURN:
            return self._draw_stone(draw)
        if self.phase == RETURNING:
            while True:
                action = RETURN + int(draw() * len(PAIRS))
                if self._can_return(action):
                    return action
        return BOON_QI + int(draw() * 2)

    def _draw_stone(self, draw: Draw) -> int:
        if not self.gift or not self.can_gift(self.mover):
            return cell_at(self.payable, draw())
        gifts = self._payable(self.sides[self.mover], 0)
        n, more = self.payable.bit_count(), gifts.bit_count()
        pick = draw() * (n + more)
        if pick < n:
            return cell_at(self.payable, pick / n)
        return GIFT + cell_at(gifts, (pick - n) / more)

    def attracts(self, seat: int, beast: int, guards: int) -> bool:
        """Return whether a seat with stones on these cells gains this favour now (8.2)."""
        owner = self.beasts[beast]
        if owner == seat:
            return False
        here = self.sides[seat].stones & guards
        mine = count_bits(here) if IS_COMPILED else here.bit_count()
        if mine < GUARDS_NEEDED or owner < 0:
            return mine >= GUARDS_NEEDED
        other = count_bits(self.sides[owner].stones & guards)
        return mine > other or (
            mine == other
            and self.gift == FAVORED
            and self._guards_with_gift(seat, guards)
            and not self._guards_with_gift(owner, guards)
        )

    def _guards_with_gift(self, seat: int, guards: int) -> bool:
        gifted = self.sides[seat].gifted
        return gifted >= 0 and guards >> HOME[gifted] & 1 == 1


class Side:
    """Cards and stones of a seat; sets of cards are packed numbers, stones a mask.

    The costs are four masks, one for each board from the top left to the bottom right: the spaces
    that cost more than 0, 1, 2 ... cards, `PER_BOARD` bits each time. In a match with gifted
    stones they are the costs of a gifted stone, from which a common stone gets a discount.
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
        """The cards of the hand that the other seat knows."""
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
        """Return an independent copy."""
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
        """Reset all spaces to their cost without bonds."""
        first, second, third, fourth = realm.boards
        self._first = first.dear[extra]
        self._second = second.dear[extra]
        self._third = third.dear[extra]
        self._fourth = fourth.dear[extra]

    def cheapen(self, cells: int, others: tuple[int, ...]) -> None:
        """Reduce the cost of these cells by one card: shift each down by one level."""
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
        """Return the spaces that the hand cannot pay for, with this discount."""
        hand = self.hand + saved * ONE_OF_EACH
        a, b, c, d = shifts
        return (
            self._first >> PER_BOARD * (hand >> a & 15) & BOARD_BITS
            | (self._second >> PER_BOARD * (hand >> b & 15) & BOARD_BITS) << 9
            | (self._third >> PER_BOARD * (hand >> c & 15) & BOARD_BITS) << 18
            | (self._fourth >> PER_BOARD * (hand >> d & 15) & BOARD_BITS) << 27
        )

    def cost(self, home: int, saved: int) -> int:
        """Return the cost of the space with this home, for a stone with this discount."""
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
