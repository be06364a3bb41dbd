"""An effect while it resolves: its program counter and its registers.

The effect remembers pieces by their squares. Code that moves or removes a piece informs the
effect, so its registers follow the piece (8.4).
"""

from __future__ import annotations

from pentathlon_engines.contract.compiler import mypyc_attr
from pentathlon_engines.tash_kalar.board import BIT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

SLOTS: Final = 2
"""The maximum number of steps of a card that later steps can refer to."""
_ZEROS: Final[list[int]] = [0] * SLOTS
_NONE: Final[list[int]] = [-1] * SLOTS
"""`_ZEROS` and `_NONE`: the lists of effects that have recorded nothing; nobody changes them."""
UPPER: Final = 1
LOWER: Final = 2


@mypyc_attr(acyclic=True, free_list_len=1)
class Effect:
    """The registers of the interpreter; -1 means none."""

    __slots__ = (
        "at",
        "captures",
        "chosen",
        "counts",
        "direction",
        "directions",
        "discard_was_empty",
        "entered",
        "goes_under",
        "halves",
        "has_recorded",
        "lock",
        "marked_was_empty",
        "me",
        "moved_self",
        "onto",
        "own_moves",
        "picked",
        "pieces",
        "pool",
        "program",
        "ranks",
        "runner",
        "shape",
        "squares",
        "stop",
        "summon",
        "times",
        "used",
    )

    def __init__(self, program: int, me: int, shape: int) -> None:
        self.program: int = program
        """The index of the card's program."""
        self.me: int = me
        """The current square of the being."""
        self.summon: int = me
        self.shape: int = shape
        """The index of the match's orientation among the shapes of the pattern."""
        self.used: int = 0
        """The mask of pieces used by the match."""
        self.halves: int = 0
        """The halves of a flare that hold: `UPPER`, `LOWER` or both."""
        self.marked_was_empty: bool = False
        self.discard_was_empty: bool = False
        self.onto: int = 0
        """What the summoning captured: an own piece (1), an enemy piece (2) or nothing (0)."""
        self.goes_under: bool = False
        """Whether the card goes under its deck at the end."""
        self.at: int = 0
        """The index of the current step."""
        self.stop: int = 0
        """The index at which the effect ends; a program may have other steps after it."""
        self._forget_records()
        self.reset()

    def _forget_records(self) -> None:
        self.has_recorded: bool = False
        self.counts: list[int] = _ZEROS
        self.squares: list[int] = _NONE
        self.pieces: list[int] = _NONE
        self.directions: list[int] = _NONE
        self.ranks: list[int] = _ZEROS
        """These lists tell for each slot how often a step was done, the square of the last time,
        where that piece is now, in which direction it went, and which ranks it destroyed, or
        captured if a step asks for that."""

    def begin_records(self) -> None:
        """Give the effect lists of its own unless it has some; most effects record nothing."""
        if self.has_recorded:
            return
        self.has_recorded = True
        self.counts, self.ranks = _ZEROS[:], _ZEROS[:]
        self.squares, self.pieces, self.directions = _NONE[:], _NONE[:], _NONE[:]

    def reset(self) -> None:
        """Reset the registers of a single step."""
        self.entered: bool = False
        self.times: int = 0
        self.pool: int = 0
        """The mask of pieces that may still move once each."""
        self.chosen: int = 0
        """The mask of chosen squares."""
        self.runner: int = -1
        """The current square of the piece that moved first."""
        self.direction: int = -1
        self.lock: int = -1
        """The rank that all pieces must have."""
        self.moved_self: bool = False
        self.own_moves: int = 0
        """The number of moves made by own pieces, if a step asks for it."""
        self.captures: int = 0
        """The number of captured pieces of the mover's rank."""
        self.picked: int = -1
        """The square of the piece that was picked and is about to leap."""

    def go_to(self, at: int) -> None:
        """Continue with another step."""
        self.at = at
        self.reset()

    def go_on_with(self, program: int, at: int, stop: int) -> None:
        """Continue with steps of another card, as if the effect started there."""
        self.program, self.stop = program, stop
        self._forget_records()
        self.go_to(at)

    def note_square(self, slot: int, square: int) -> None:
        """Record one more repetition of a step, on an empty square."""
        self.begin_records()
        self.counts[slot] += 1
        self.squares[slot] = square

    def record(self, slot: int, square: int) -> None:
        """Record one more repetition of a step, and its square."""
        if slot >= 0:
            self.begin_records()
            self.counts[slot] += 1
            self.squares[slot] = square
            self.pieces[slot] = square

    def forget(self, square: int) -> None:
        """Record that the piece on a square is gone."""
        gone = ~BIT[square]
        self.used &= gone
        self.pool &= gone
        if self.me == square:
            self.me = -1
        if self.runner == square:
            self.runner = -1
        if self.picked == square:
            self.picked = -1
        if self.has_recorded:
            for slot in range(SLOTS):
                if self.pieces[slot] == square:
                    self.pieces[slot] = -1

    def follow(self, square: int, to: int) -> None:
        """Record that the piece on a square moved to another, empty one."""
        if self.used & BIT[square]:
            self.used ^= BIT[square] | BIT[to]
        if self.pool & BIT[square]:
            self.pool ^= BIT[square] | BIT[to]
        if self.me == square:
            self.me = to
        if self.runner == square:
            self.runner = to
        if self.has_recorded:
            for slot in range(SLOTS):
                if self.pieces[slot] == square:
                    self.pieces[slot] = to

    def exchange(self, square: int, other: int) -> None:
        """Record that the pieces on two squares changed places."""
        both = BIT[square] | BIT[other]
        if self.used & both not in (0, both):
            self.used ^= both
        if self.pool & both not in (0, both):
            self.pool ^= both
        if self.me in (square, other):
            self.me = square + other - self.me
        if self.has_recorded:
            for slot in range(SLOTS):
                if self.pieces[slot] in (square, other):
                    self.pieces[slot] = square + other - self.pieces[slot]

    def copy(self) -> Effect:
        """Return an independent copy."""
        twin = Effect(self.program, self.me, self.shape)
        twin.summon = self.summon
        twin.used = self.used
        twin.halves = self.halves
        twin.marked_was_empty = self.marked_was_empty
        twin.discard_was_empty = self.discard_was_empty
        twin.onto = self.onto
        twin.goes_under = self.goes_under
        twin.at = self.at
        twin.stop = self.stop
        if self.has_recorded:
            twin.has_recorded = True
            twin.counts, twin.ranks = self.counts[:], self.ranks[:]
            twin.squares, twin.pieces = self.squares[:], self.pieces[:]
            twin.directions = self.directions[:]
        twin.entered = self.entered
        twin.times = self.times
        twin.pool = self.pool
        twin.chosen = self.chosen
        twin.runner = self.runner
        twin.direction = self.direction
        twin.lock = self.lock
        twin.moved_self = self.moved_self
        twin.captures = self.captures
        twin.own_moves = self.own_moves
        twin.picked = self.picked
        return twin
