"""A position of Tuned on bit masks, and what it allows; sections are those of its rules page."""

from __future__ import annotations

from abc import abstractmethod

from pentathlon_engines.contract.game import State
from pentathlon_engines.tuned.actions import TEXTS, split_move
from pentathlon_engines.tuned.board import (
    AREA,
    BITS,
    CAT,
    CAT_BITS,
    DOG,
    DOG_BITS,
    DONKEY,
    DONKEY_BITS,
    FULL,
    FULL_HAND,
    KIND_BITS,
    MOVES,
    PER_SQUARE,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pentathlon_engines.contract.compiler import i64
    from pentathlon_engines.contract.game import Draw, Outcome

    Squares = tuple[int, ...]


class TunedPosition(State):
    """The table.

    `hand` and `blocked` (the rooster stands on move) belong to the seat whose turn it is,
    `other_hand` and `other_blocked` to the other one; they trade places after each action.
    """

    __slots__ = (
        "actions",
        "banned",
        "blocked",
        "cats",
        "counts",
        "dogs",
        "donkeys",
        "hand",
        "last",
        "other_blocked",
        "other_hand",
        "turn",
    )

    actions: i64
    banned: i64
    """The move that would take the last one back (6.4); -1 if there is none."""
    cats: i64
    dogs: i64
    donkeys: i64
    hand: i64
    last: i64
    other_hand: i64
    turn: i64

    def reset(self) -> None:
        """Make this the first position."""
        self.options: dict[str, Any] = {}
        self.seats = 2
        self.to_move: int | None = 0
        self.outcome: Outcome | None = None
        self.turn = 0
        self.donkeys = 0
        self.dogs = 0
        self.cats = 0
        self.hand = FULL_HAND
        self.other_hand = FULL_HAND
        self.blocked = True
        self.other_blocked = True
        self.last = -1
        self.banned = -1
        self.actions = 0
        self.counts: dict[int, int] | None = None

    @abstractmethod
    def copy(self) -> TunedPosition:
        """Return an independent twin of this position."""

    def legal_actions(self) -> list[int]:
        """Return the adds by animal and square, then the moves by from, n and to (9)."""
        actions: list[int] = []
        if self.outcome is not None:
            return actions
        hand = self.hand
        targets = self._targets()
        for kind in (DONKEY, DOG, CAT):
            if hand & KIND_BITS[kind]:
                base = AREA * kind
                actions += [base + square for square in targets[kind]]
        if not (hand and self.blocked):
            self._list_moves(actions, targets)
            if self.banned >= 0:
                actions.remove(self.banned)
        return actions

    def _list_moves(self, actions: list[int], targets: tuple[Squares, Squares, Squares]) -> None:
        # The lists are many and short; a comprehension for each would take 1.4 times as long.
        donkeys, dogs, cats = self.donkeys, self.dogs, self.cats
        for_donkey, for_dog, for_cat = targets
        for source in BITS[donkeys | dogs | cats]:
            base = MOVES + PER_SQUARE * source  # from the top down: n grows with each animal
            if cats >> source & 1:
                for square in for_cat:
                    actions.append(base + square)  # noqa: PERF401
                base += AREA
            if dogs >> source & 1:
                for square in for_dog:
                    actions.append(base + square)  # noqa: PERF401
                base += AREA
            if donkeys >> source & 1:
                for square in for_donkey:
                    actions.append(base + square)  # noqa: PERF401

    def _targets(self) -> tuple[Squares, Squares, Squares]:
        """Return for each kind the squares where it may be put (4.1)."""
        donkeys, dogs, cats = self.donkeys, self.dogs, self.cats
        empty = FULL ^ (donkeys | dogs | cats)
        return BITS[empty], BITS[empty | (donkeys & ~dogs)], BITS[empty | (dogs & ~cats)]

    def is_legal(self, action: int) -> bool:
        """Return whether the seat to move may do this now."""
        if self.outcome is not None or not 0 <= action < len(TEXTS):
            return False
        if action < MOVES:
            kind, square = action // AREA, action % AREA
            return self.hand & KIND_BITS[kind] != 0 and self._fits(kind, square)
        if action == self.banned or (self.hand and self.blocked):
            return False
        source, above, target = split_move(action)
        kinds = [
            kind
            for kind, mask in enumerate((self.donkeys, self.dogs, self.cats))
            if mask >> source & 1
        ]
        if above >= len(kinds) or source == target:
            return False
        return self._fits(kinds[-1 - above], target)

    def key(self) -> int:
        """Return the board and the turn as one number: a mask per kind, then the seat."""
        masks = self.donkeys | self.dogs << AREA | self.cats << 2 * AREA
        return masks | self.turn << 3 * AREA

    def seen(self) -> int:
        """Return how often this position has occurred, this time included."""
        return 1 if self.counts is None else self.counts.get(self.key(), 1)

    def _fits(self, kind: int, square: int) -> bool:
        """Return whether an animal may be put on a square: empty, or topped by the kind before."""
        if not (self.donkeys | self.dogs | self.cats) >> square & 1:
            return True
        if kind == DONKEY:
            return False
        below, same = (self.donkeys, self.dogs) if kind == DOG else (self.dogs, self.cats)
        return (below & ~same) >> square & 1 == 1

    def _draw_action(self, draw: Draw) -> int:
        """Draw one of the legal actions with equal probability, without listing them.

        Every animal, in the hand or on the board, is the lowest of exactly one block, and where it
        may go depends on its kind only: so the number of actions of a kind is sources x targets.
        """
        for_donkey, for_dog, for_cat = self._targets()
        hand = self.hand
        movable = 0 if hand and self.blocked else FULL
        donkeys = len(for_donkey) * self._sources(hand & DONKEY_BITS, self.donkeys & movable)
        dogs = len(for_dog) * self._sources(hand & DOG_BITS, self.dogs & movable)
        cats = len(for_cat) * self._sources(hand & CAT_BITS, self.cats & movable)
        total: int = donkeys + dogs + cats
        while True:
            pick: i64 = int(draw() * total)
            if pick < donkeys:
                action = self._nth(DONKEY, pick, self.donkeys, for_donkey)
            elif pick < donkeys + dogs:
                action = self._nth(DOG, pick - donkeys, self.dogs, for_dog)
            else:
                action = self._nth(CAT, pick - donkeys - dogs, self.cats, for_cat)
            if action != self.banned:
                return action

    def _sources(self, in_hand: i64, movable: i64) -> i64:
        return len(BITS[movable]) + (1 if in_hand else 0)

    def _nth(self, kind: i64, pick: i64, where: i64, targets: Squares) -> i64:
        """Return one action of a kind from a grid of sources (the hand first) and targets."""
        if self.hand & KIND_BITS[kind]:
            if pick < len(targets):
                return AREA * kind + targets[pick]
            pick -= len(targets)
        row = pick // len(targets)
        source: i64 = BITS[where][row]
        above: i64 = 0
        if kind < CAT:
            above = self.cats >> source & 1
        if kind < DOG:
            above += self.dogs >> source & 1
        return MOVES + PER_SQUARE * source + AREA * above + targets[pick - row * len(targets)]
