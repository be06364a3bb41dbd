"""The rules of Tuned on bit masks; sections in brackets are those of its rules page."""

from __future__ import annotations

from pentathlon_engines.contract.action_texts import action_of, text_of
from pentathlon_engines.contract.game import Game, GameInfo, Outcome, State
from pentathlon_engines.tuned import serialization
from pentathlon_engines.tuned.board import (
    ACTIONS,
    BITS,
    CAT,
    DOG,
    DONKEY,
    FULL,
    FULL_HAND,
    GRAMMAR,
    HAS_LINE,
    KIND_BITS,
    MAX_ACTIONS,
    MOVES,
    ONE,
    REPETITION_DRAW,
    TEXTS,
    reverse_of,
    split_move,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from random import Random
    from typing import Any, Final

    from pentathlon_engines.contract.game import Draw, Encoder
    from pentathlon_engines.drawing.plain import Drawing

    Targets = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]

_LINE: Final = (Outcome((0, 1), "line"), Outcome((1, 0), "line"))
_STUCK: Final = (Outcome((1, 0), "stuck"), Outcome((0, 1), "stuck"))
_REPETITION: Final = Outcome((0, 0), "repetition")
_LIMIT: Final = Outcome((0, 0), "limit")


class TunedState(State):
    """A position of Tuned.

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

    @property
    def game(self) -> Game:
        """The game this is a position of."""
        return TUNED

    def copy(self) -> TunedState:
        """Return an independent twin of this state."""
        twin = TunedState()
        twin.options = self.options
        twin.seats = 2
        twin.to_move = self.to_move
        twin.outcome = self.outcome
        twin.turn = self.turn
        twin.donkeys = self.donkeys
        twin.dogs = self.dogs
        twin.cats = self.cats
        twin.hand = self.hand
        twin.other_hand = self.other_hand
        twin.blocked = self.blocked
        twin.other_blocked = self.other_blocked
        twin.last = self.last
        twin.banned = self.banned
        twin.actions = self.actions
        counts = self.counts
        twin.counts = None if counts is None else counts.copy()
        return twin

    def legal_actions(self) -> list[int]:
        """Return the adds by animal and square, then the moves by from, n and to (9)."""
        actions: list[int] = []
        if self.outcome is not None:
            return actions
        hand = self.hand
        targets = self._targets()
        for kind in (DONKEY, DOG, CAT):
            if hand & KIND_BITS[kind]:
                base = 9 * kind
                actions += [base + square for square in targets[kind]]
        if not (hand and self.blocked):
            self._list_moves(actions, targets)
            if self.banned >= 0:
                actions.remove(self.banned)
        return actions

    def _list_moves(self, actions: list[int], targets: Targets) -> None:
        # Many short lists: a comprehension for each block would take 1.4 times as long.
        donkeys, dogs, cats = self.donkeys, self.dogs, self.cats
        for_donkey, for_dog, for_cat = targets
        for source in BITS[donkeys | dogs | cats]:
            base = MOVES + 27 * source  # from the top down: n grows with each animal that is there
            if cats >> source & 1:
                for square in for_cat:
                    actions.append(base + square)  # noqa: PERF401
                base += 9
            if dogs >> source & 1:
                for square in for_dog:
                    actions.append(base + square)  # noqa: PERF401
                base += 9
            if donkeys >> source & 1:
                for square in for_donkey:
                    actions.append(base + square)  # noqa: PERF401

    def _targets(self) -> Targets:
        """Return for each kind the squares where it may be put (4.1)."""
        donkeys, dogs, cats = self.donkeys, self.dogs, self.cats
        empty = FULL ^ (donkeys | dogs | cats)
        return BITS[empty], BITS[empty | (donkeys & ~dogs)], BITS[empty | (dogs & ~cats)]

    def is_legal(self, action: int) -> bool:
        """Say whether the seat to move may do this now."""
        if self.outcome is not None or not 0 <= action < len(TEXTS):
            return False
        if action < MOVES:
            kind, square = action // 9, action % 9
            return self.hand & KIND_BITS[kind] != 0 and self._fits(kind, square)
        if action == self.banned or (self.hand and self.blocked):
            return False
        source, above, target = split_move(action)
        kinds = [kind for kind, mask in enumerate(self._masks()) if mask >> source & 1]
        if above >= len(kinds) or source == target:
            return False
        return self._fits(kinds[-1 - above], target)

    def apply_unchecked(self, action: int) -> None:
        """Do an action without looking whether it is legal: for search loops only."""
        if action < MOVES:
            self._add(action)
        else:
            self._move(action)
        self.last = action
        self.actions += 1
        self.hand, self.other_hand = self.other_hand, self.hand
        self.blocked, self.other_blocked = self.other_blocked, self.blocked
        self.turn = self.to_move = 1 - self.turn
        self._settle()

    def _add(self, action: int) -> None:
        kind, square = action // 9, action % 9
        if kind == DONKEY:
            self.donkeys |= 1 << square
        elif kind == DOG:
            self.dogs |= 1 << square
        else:
            self.cats |= 1 << square
        self.hand -= ONE[kind]
        self.blocked = False
        self.banned = -1

    def _move(self, action: int) -> None:
        source, above, target = split_move(action)
        here = 1 << source
        flip = here | 1 << target
        n = above + 1
        if self.cats & here:
            self.cats ^= flip
            n -= 1
        if n and self.dogs & here:
            self.dogs ^= flip
            n -= 1
        if n:
            self.donkeys ^= flip
        self.blocked = True
        self.banned = reverse_of(action)

    def _settle(self) -> None:
        """Count the position and see whether it ends the match; the turn has passed on."""
        if not self.hand and not self.other_hand:
            self._count()
        outcome = self.ending()
        if outcome is not None:
            self.outcome = outcome
            self.to_move = None

    def ending(self) -> Outcome | None:
        """Return the outcome that this very position means (7)."""
        donkeys, dogs, cats = self.donkeys, self.dogs, self.cats
        if HAS_LINE[cats] or HAS_LINE[dogs & ~cats] or HAS_LINE[donkeys & ~dogs]:
            return _LINE[1 - self.turn]
        if self.blocked and self._is_stuck():
            return _STUCK[self.turn]
        if self.counts is not None and self.seen() >= REPETITION_DRAW:
            return _REPETITION
        return _LIMIT if self.actions >= MAX_ACTIONS else None

    def _is_stuck(self) -> bool:
        """Say whether the seat whose turn it is must add and cannot (7.3)."""
        if not self.hand or self.donkeys | self.dogs | self.cats != FULL:
            return False
        dog_fits = self.hand & 12 and self.donkeys & ~self.dogs
        cat_fits = self.hand & 48 and self.dogs & ~self.cats
        return not dog_fits and not cat_fits

    def _count(self) -> None:
        """Count this position for the draw by repetition (7.5).

        Only called when both hands are empty: before that no position can come back. Between two
        positions with the same turn each seat has acted. A seat with animals left has added, which
        changes its hand for good, or moved, which turns its rooster until it adds.
        """
        if self.counts is None:
            self.counts = {}
        key = self.key()
        self.counts[key] = self.counts.get(key, 0) + 1

    def key(self) -> int:
        """Return the board and the turn as one number: nine bits per kind, then the seat."""
        return self.donkeys | self.dogs << 9 | self.cats << 18 | self.turn << 27

    def seen(self) -> int:
        """Return how often this position has occurred, this time included."""
        return 1 if self.counts is None else self.counts.get(self.key(), 1)

    def _masks(self) -> tuple[int, int, int]:
        return self.donkeys, self.dogs, self.cats

    def _fits(self, kind: int, square: int) -> bool:
        """Say whether an animal may be put on a square: empty, or topped by the kind before."""
        if not (self.donkeys | self.dogs | self.cats) >> square & 1:
            return True
        if kind == DONKEY:
            return False
        below, same = (self.donkeys, self.dogs) if kind == DOG else (self.dogs, self.cats)
        return (below & ~same) >> square & 1 == 1

    def _draw_action(self, draw: Draw) -> int:
        """Draw one of the legal actions, each with the same chance, without listing them.

        Every animal, in the hand or on the board, is the lowest of exactly one block, and where
        it may go depends on its kind only: so the actions of a kind are sources x targets.
        """
        for_donkey, for_dog, for_cat = self._targets()
        hand = self.hand
        moves = not (hand and self.blocked)
        donkeys = len(for_donkey) * self._sources(hand & 3, self.donkeys if moves else 0)
        dogs = len(for_dog) * self._sources(hand & 12, self.dogs if moves else 0)
        cats = len(for_cat) * self._sources(hand & 48, self.cats if moves else 0)
        total = donkeys + dogs + cats
        while True:
            pick = int(draw() * total)
            if pick < donkeys:
                action = self._nth(DONKEY, pick, self.donkeys, for_donkey)
            elif pick < donkeys + dogs:
                action = self._nth(DOG, pick - donkeys, self.dogs, for_dog)
            else:
                action = self._nth(CAT, pick - donkeys - dogs, self.cats, for_cat)
            if action != self.banned:
                return action

    def _sources(self, in_hand: int, movable: int) -> int:
        return len(BITS[movable]) + (1 if in_hand else 0)

    def _nth(self, kind: int, pick: int, where: int, targets: tuple[int, ...]) -> int:
        """Return one action of a kind: rows are sources, the hand first, columns are targets."""
        if self.hand & KIND_BITS[kind]:
            if pick < len(targets):
                return 9 * kind + targets[pick]
            pick -= len(targets)
        row = pick // len(targets)
        source = BITS[where][row]
        above = 0
        if kind < CAT:
            above = self.cats >> source & 1
        if kind < DOG:
            above += self.dogs >> source & 1
        return MOVES + 27 * source + 9 * above + targets[pick - row * len(targets)]

    def text(self, action: int) -> str:
        """Return `add <animal> <square>` or `move <from> <to> <n>`."""
        return text_of(action, TEXTS, title="Tuned")

    def parse(self, text: str) -> int:
        """Return the action with this text, legal here or not; raise `BadAction` if none has."""
        return action_of(text, ACTIONS, grammar=GRAMMAR)

    def to_json(self) -> dict[str, Any]:
        """Return the position as on the rules page (8), with the counts in `history`."""
        return serialization.describe(self)

    def observation(self, seat: int | None) -> dict[str, Any]:
        """Return the whole position: nothing is hidden in Tuned."""
        return self._seen_by(serialization.describe(self), seat)

    def event_for(self, seat: int | None, text: str) -> str:
        """Return the text as it is: nothing is hidden in Tuned."""
        return text

    def determinize(self, seat: int, rng: Random) -> TunedState:
        """Return a copy: nothing is hidden in Tuned."""
        return self.copy()


def first_position() -> TunedState:
    """Return the empty board with full hands."""
    state = TunedState()
    state.reset()
    return state


class TunedGame(Game):
    """Tuned, for two seats and without options."""

    def _start(self, seats: int, options: dict[str, Any]) -> TunedState:
        return first_position()

    def _load(self, data: dict[str, Any], options: dict[str, Any]) -> TunedState:
        state = first_position()
        serialization.read(state, data)
        return state

    def drawing(self) -> Drawing:
        """Return the module that draws the board."""
        from pentathlon_engines.tuned import drawing

        return drawing

    def encoder(self) -> Encoder:
        """Return the encoder of observations."""
        from pentathlon_engines.tuned import encoding

        return encoding.features

    def glyphs(self) -> tuple[str, ...]:
        """Return what the game is recognised by."""
        return ("donkey", "dog", "cat")


TUNED: Final = TunedGame(
    GameInfo(
        "tuned",
        title="Tuned",
        version=1,
        seats=(2, 2),
        default_seats=2,
        hidden=False,
        chance=False,
        actions=len(TEXTS),
        longest=MAX_ACTIONS,
    )
)
