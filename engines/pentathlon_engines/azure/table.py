"""The table of a match of Azure: what lies where, and what that allows.

Sections in brackets are those of the rules page. The course of a turn is in `state.py`.
"""

from __future__ import annotations

from pentathlon_engines.azure.board import (
    ALL_CARDS,
    BOON_QI,
    BOON_WISDOM,
    COMMON_STONES,
    FAVORED,
    GIFT,
    GIFT_COST,
    GIFTS,
    GUARDS_NEEDED,
    MIGHTY,
    PAIRS,
    PERCEPTIVE,
    RETURN,
)
from pentathlon_engines.azure.realm import NOT_LAID
from pentathlon_engines.errors import NotToMove
from pentathlon_engines.game import CHANCE, Outcome, State

TYPE_CHECKING = False
if TYPE_CHECKING:
    from random import Random
    from typing import Any, Final

    from pentathlon_engines.azure.events import Event

PHASES: Final = ("setup", "turn", "boon", "return", "reshuffle", "over")
SETUP: Final = 0
TURN: Final = 1
BOON: Final = 2
RETURNING: Final = 3
RESHUFFLE: Final = 4
OVER: Final = 5


class Table(State):
    """What lies on the table. Lists of two are by seat; sets of cards are packed numbers."""

    __slots__ = (
        "beasts",
        "boon_at",
        "decks",
        "draws",
        "gift",
        "gifted",
        "hands",
        "hidden",
        "known",
        "log",
        "mover",
        "phase",
        "realm",
        "since",
        "stones",
        "supply",
        "wisdom",
    )

    def reset(self, options: dict[str, Any]) -> None:
        """Make this the position before the boards are laid."""
        self.options = options
        self.seats = 2
        self.to_move: int | None = CHANCE
        self.outcome: Outcome | None = None
        self.phase = SETUP
        self.gift: int = GIFTS.index(options["gifted"])
        self.realm = NOT_LAID
        self.mover = 0
        """Whose stone turn it is; the seat that returns cards is the other one."""
        self.hands = [0, 0]
        self.known = [0, 0]
        """What the other seat knows to be in each hand."""
        self.decks: int = ALL_CARDS
        self.hidden: tuple[int, ...] = ()
        self.stones = [0, 0]
        self.supply = [COMMON_STONES, COMMON_STONES]
        self.gifted = [-1, -1]
        self.wisdom = [0, 0]
        self.beasts = [-1, -1, -1, -1]
        self.boon_at = -1
        self.draws = 0
        """Cards that the seat with the Bird has still to draw."""
        self.log: list[Event] = []
        self.since = [0, 0]
        """Where in the log the last decision of each seat begins."""

    @property
    def placed(self) -> int:
        """How many stones have been placed: one in each stone turn."""
        if self.phase == SETUP:
            return 0
        return ((self.stones[0] | self.stones[1]) & ~self.realm.mountains).bit_count()

    @property
    def turn(self) -> int:
        """The number of the stone turn, from 1; a turn in which a seat is stuck counts."""
        stuck = self.outcome is not None and self.outcome.reason == "stuck"
        return self.placed + (self.phase in (SETUP, TURN) or stuck)

    def legal_actions(self) -> list[int]:
        """Return common stones, then the gifted one, by cell; else returns or boons (13)."""
        if self.phase == TURN:
            actions = self._payable(0, GIFT_COST[0]) if self.supply[self.mover] else []
            if self.can_gift(self.mover):
                actions += self._payable(GIFT, GIFT_COST[self.gift])
            return actions
        if self.phase == RETURNING:
            return [action for action in range(RETURN, BOON_QI) if self._can_return(action)]
        return [BOON_QI, BOON_WISDOM] if self.phase == BOON else []

    def _payable(self, base: int, extra: int) -> list[int]:
        """Return the actions from `base` on that place a stone at this extra cost."""
        seat = self.mover
        hand, own, bonus = self.hands[seat], self.stones[seat], self._bonus(seat)
        taken = own | self.stones[1 - seat]
        actions = []
        for cell, bit, line, shift, boons in self.realm.rows:
            if not taken & bit:
                bonds = (own & line).bit_count()
                if bonus & bit:
                    bonds += 1
                if boons + extra - bonds <= hand >> shift & 15:
                    actions.append(base + cell)
        return actions

    def can_act(self, seat: int) -> bool:
        """Say whether a seat could place a stone now (6.6, 11.5)."""
        extra = 0
        if not self.supply[seat]:
            if not self.can_gift(seat):
                return False
            extra = GIFT_COST[self.gift]
        hand, own, bonus = self.hands[seat], self.stones[seat], self._bonus(seat)
        taken = own | self.stones[1 - seat]
        for _, bit, line, shift, boons in self.realm.rows:
            if not taken & bit:
                bonds = (own & line).bit_count()
                if bonus & bit:
                    bonds += 1
                if boons + extra - bonds <= hand >> shift & 15:
                    return True
        return False

    def can_gift(self, seat: int) -> bool:
        """Say whether a seat still has its gifted stone (11.2)."""
        return self.gift > 0 and self.gifted[seat] < 0

    def cost(self, action: int) -> int:
        """Return the cards that a `place` or `gift` of the seat on turn costs (6.3, 11.2)."""
        extra, cell = (0, action) if action < GIFT else (GIFT_COST[self.gift], action - GIFT)
        seat, realm = self.mover, self.realm
        bonds = (self.stones[seat] & realm.line[cell]).bit_count()
        if self._bonus(seat) >> cell & 1:
            bonds += 1
        return max(0, realm.boons[cell] + extra - bonds)

    def _bonus(self, seat: int) -> int:
        """Return the cells to which a seat's gifted stone gives one bond more (11.4)."""
        cell = self.gifted[seat]
        if cell < 0:
            return 0
        if self.gift == MIGHTY:
            return self.realm.line[cell]
        return self.realm.diagonal[cell] if self.gift == PERCEPTIVE else 0

    def is_legal(self, action: int) -> bool:
        """Say whether the seat to move may do this now."""
        if self.phase == TURN:
            return 0 <= action < RETURN and self._can_place(action)
        if self.phase == RETURNING:
            return RETURN <= action < BOON_QI and self._can_return(action)
        return self.phase == BOON and action in (BOON_QI, BOON_WISDOM)

    def _can_place(self, action: int) -> bool:
        seat, realm = self.mover, self.realm
        cell = action % GIFT
        if (self.stones[0] | self.stones[1] | realm.mountains) >> cell & 1:
            return False
        has_stone = self.supply[seat] > 0 if action < GIFT else self.can_gift(seat)
        held = self.hands[seat] >> 4 * realm.domain[cell] & 15
        return has_stone and self.cost(action) <= held

    def _can_return(self, action: int) -> bool:
        x, y = PAIRS[action - RETURN]
        hand = self.hands[1 - self.mover]
        return hand >> 4 * x & 15 > (x == y) and hand >> 4 * y & 15 > 0

    def random_action(self, rng: Random) -> int:
        """Draw one of the legal actions, each with the same chance, without listing them."""
        if self.phase == TURN:
            return self._random_stone(rng)
        if self.phase == RETURNING:
            while True:
                action = RETURN + int(rng.random() * len(PAIRS))
                if self._can_return(action):
                    return action
        if self.phase != BOON:
            raise NotToMove("no seat may act here")
        return BOON_QI + int(rng.random() * 2)

    def _random_stone(self, rng: Random) -> int:
        """Try stones and spaces at random until one is payable: about every fifth is."""
        seat, rows = self.mover, self.realm.rows
        hand, own, bonus = self.hands[seat], self.stones[seat], self._bonus(seat)
        taken = own | self.stones[1 - seat]
        draw, spaces = rng.random, len(rows)
        first = 0 if self.supply[seat] else spaces
        choices = (2 * spaces if self.can_gift(seat) else spaces) - first
        while True:
            pick = first + int(draw() * choices)
            base = extra = 0
            if pick >= spaces:
                pick, base, extra = pick - spaces, GIFT, GIFT_COST[self.gift]
            cell, bit, line, shift, boons = rows[pick]
            if not taken & bit:
                bonds = (own & line).bit_count()
                if bonus & bit:
                    bonds += 1
                if boons + extra - bonds <= hand >> shift & 15:
                    return base + cell

    def attracts(self, seat: int, beast: int) -> bool:
        """Say whether a seat gains this favour now (8.2)."""
        owner = self.beasts[beast]
        if owner == seat:
            return False
        guards = self.realm.guards[beast]
        mine = (self.stones[seat] & guards).bit_count()
        if mine < GUARDS_NEEDED or owner < 0:
            return mine >= GUARDS_NEEDED
        other = (self.stones[owner] & guards).bit_count()
        return mine > other or (
            mine == other
            and self.gift == FAVORED
            and self._guards_with_gift(seat, guards)
            and not self._guards_with_gift(owner, guards)
        )

    def _guards_with_gift(self, seat: int, guards: int) -> bool:
        return self.gifted[seat] >= 0 and guards >> self.gifted[seat] & 1 == 1
