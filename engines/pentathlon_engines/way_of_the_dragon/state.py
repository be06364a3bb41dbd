"""A position of Way of the Dragon: what stands on the paths, and which actions that allows.

Sections in brackets are those of the rules page. What an action does is in `moves.py`.
"""

from __future__ import annotations

from abc import abstractmethod

from pentathlon_engines.contract.game import CHANCE, State
from pentathlon_engines.way_of_the_dragon.actions import (
    AGAIN,
    END,
    EQUILIBRIUM,
    EQUILIBRIUM_JUMP,
    EYE,
    FEAR,
    JUMP,
    KEEP,
    KEEPS,
    MOVES,
    PAIR_NUMBERS,
    PAIRS,
    PASS,
    PATHS,
    REBIRTH,
    STOP,
    SWAP,
    WILD,
)
from pentathlon_engines.way_of_the_dragon.board import (
    DEAD,
    EXTRA,
    HAS_ANXIETY,
    HAS_DRAGON,
    HAS_EYE,
    HAS_FEAR,
    HAS_REBIRTH,
    KEEPING,
    MOVING,
    NOBODY,
    Board,
    board_of,
)
from pentathlon_engines.way_of_the_dragon.dice import (
    CALLED,
    COUNTS,
    DICE,
    DRAGON,
    IS_BALANCED,
    IS_PERFECT,
    LETTERS,
    NONE,
    RULES,
    SHOWN,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pentathlon_engines.contract.compiler import i64
    from pentathlon_engines.contract.game import Draw


class WayOfTheDragonPosition(State):
    """The table.

    `positions` has five numbers per seat, one per path; `taken` one mask per path with a bit for
    each position where a piece or a dead piece stands.
    """

    __slots__ = (
        "board",
        "cap",
        "colours",
        "dead",
        "dice",
        "immunity",
        "kept",
        "last",
        "moved",
        "phase",
        "ply",
        "positions",
        "powers",
        "rolls_left",
        "taken",
        "turn",
        "turn_of",
        "used",
    )

    board: Board
    powers: bool
    immunity: bool
    cap: i64
    """The turn after which the match ends in any case (5.5)."""
    colours: tuple[int, ...]
    positions: list[int]
    taken: list[int]
    dead: tuple[int, ...]
    """The mask of dead pieces on each path."""
    phase: i64
    turn: i64
    """How many turns have been rolled, this one included."""
    turn_of: i64
    """The seat whose turn it is, also while chance decides; NOBODY before the first turn."""
    dice: i64
    """The dice of the last roll."""
    kept: i64
    """The dice kept for the next roll, or in the last one of this turn."""
    rolls_left: i64
    used: i64
    """A mask with a bit for each seat that has used its power."""
    last: tuple[int, int]
    """Seat and number of the last action; NOBODY and 0 before the first."""
    moved: i64
    """The steps of all pieces that the last action of phase `move` has moved; see `steps_in`."""
    ply: i64

    def reset(self, seats: int, options: dict[str, Any], plain: tuple[int, ...]) -> None:
        """Make this the position before anything is decided."""
        self.options = options
        self.seats = seats
        self.to_move = CHANCE
        self.outcome = None
        self.board = board_of(plain)
        self.powers = options["powers"]
        self.immunity = options["immunity"]
        self.cap = options["turn_cap_per_player"] * seats
        self.colours = tuple(LETTERS.index(letter) for letter in options["colors"][:seats])
        self.positions = [0] * (PATHS * seats)
        self.taken = [0] * PATHS
        self.dead = (0,) * PATHS
        self.phase = DEAD
        self.turn = 0
        self.turn_of = NOBODY
        self.dice = NONE
        self.kept = NONE
        self.rolls_left = 0
        self.used = 0
        self.last = (NOBODY, 0)
        self.moved = 0
        self.ply = 0

    @abstractmethod
    def copy(self) -> WayOfTheDragonPosition:
        """Return an independent twin of this position."""

    def legal_actions(self) -> list[int]:
        """Return what the seat to move may do, in the order of the rules (9)."""
        return self._listed()[:]

    def _listed(self) -> list[int]:
        """Return the legal actions in a read-only list, which may be shared."""
        phase = self.phase
        if phase == KEEPING:
            keeps = KEEPS[self.dice]
            return keeps if self.rolls_left else _as_eye(keeps)
        if phase == MOVING:
            if IS_BALANCED[self.dice]:
                return self._balanced_moves()
            fitting = MOVES[self._fitting()]
            if self.powers or CALLED[self.dice]:
                return self._more_than_moves(fitting)
            return fitting
        if phase == EXTRA:
            return [END, AGAIN if IS_PERFECT[self.dice] else REBIRTH]
        return []

    def _draw_action(self, draw: Draw) -> int:
        """Draw one of the legal actions; most lists of actions are made once for all matches."""
        actions = self._listed()
        n = len(actions)
        if n == 1:
            return actions[0]
        pick: i64 = int(draw() * n)
        # In phase keep, draw as if `stop` came last, because records of stand-ins were drawn so.
        return actions[pick + 1 - n] if self.phase == KEEPING else actions[pick]

    def _fitting(self) -> i64:
        """Return a mask of the paths on which an ordinary move is legal (4.3)."""
        positions, plain, taken = self.positions, self.board.plain, self.taken
        first = self.turn_of * PATHS
        fitting: i64 = 0
        shown: i64
        for shown in SHOWN[self.dice]:
            path = shown >> 3
            at: i64 = positions[first + path]
            if at <= plain[path] and not taken[path] >> at + (shown & 7) & 1:
                fitting |= 1 << path
        return fitting

    def _more_than_moves(self, moves: list[int]) -> list[int]:
        """Return moves, actions of powers and dragons, then that of doing nothing (4.3, 7)."""
        nothing = moves[0] == PASS
        actions = [] if nothing else moves[:]
        power = self.power()
        if power == HAS_ANXIETY:
            self._add_jumps(actions)
        elif power == HAS_DRAGON:
            self._add_wild(actions)
        for path in CALLED[self.dice]:
            self._add_swaps(actions, path)
        if nothing:
            actions.append(PASS)
        elif power == HAS_FEAR:
            actions.append(FEAR)
        return actions

    def _add_jumps(self, actions: list[int]) -> None:
        """Add moves of blocked pieces that continue to the next empty space (7.5)."""
        counts = COUNTS[self.dice]
        for path, at in self._walkers():
            spaces = counts[path]
            if spaces and self.taken[path] >> at + spaces & 1 and self.landing(path, spaces):
                actions.append(JUMP + path)

    def _add_wild(self, actions: list[int]) -> None:
        """Add moves in which rolled dragons stand in for an element (7.4)."""
        counts = COUNTS[self.dice]
        for path, at in self._walkers():
            fewest, most = counts[path] + 1, counts[path] + counts[DRAGON]
            actions += [
                WILD + path * DICE + spaces - 1
                for spaces in range(fewest, most + 1)
                if not self.taken[path] >> at + spaces & 1
            ]

    def _add_swaps(self, actions: list[int], path: int) -> None:
        """Add the swaps of two pieces on a path that are not immune (4.5, 8.1)."""
        immune = path if self.immunity else NOBODY
        pieces = sorted(
            at
            for at, colour in zip(self.positions[path::PATHS], self.colours, strict=True)
            if at and colour != immune
        )
        base = SWAP + path * len(PAIRS)
        for index, low in enumerate(pieces):
            actions += [base + PAIR_NUMBERS[low, high] for high in pieces[index + 1 :]]

    def _balanced_moves(self) -> list[int]:
        """Return the actions that five different elements allow (4.6)."""
        free = self.can_advance()
        actions = [EQUILIBRIUM] if free else []
        power = self.power()
        # There are five numbers and at most four other pieces, so one step can always be a jump.
        if power == HAS_ANXIETY and self.blocked():
            actions.append(EQUILIBRIUM_JUMP)
        if not free:
            actions.append(PASS)
        elif power == HAS_FEAR:
            actions.append(FEAR)
        return actions

    def can_advance(self) -> list[int]:
        """Return the paths on which the own piece can go one space."""
        return [path for path, at in self._walkers() if not self.taken[path] >> at + 1 & 1]

    def blocked(self) -> list[int]:
        """Return the paths on which a piece one space ahead blocks the own piece."""
        return [path for path, at in self._walkers() if self.taken[path] >> at + 1 & 1]

    def _walkers(self) -> list[tuple[int, int]]:
        """Return path and position of own pieces that are not on a number."""
        first, plain = self.turn_of * PATHS, self.board.plain
        mine = enumerate(self.positions[first : first + PATHS])
        return [(path, at) for path, at in mine if at <= plain[path]]

    def landing(self, path: i64, spaces: i64) -> i64:
        """Return the first empty space at least this many spaces ahead, 0 if none is (7.5)."""
        target = self.positions[self.turn_of * PATHS + path] + spaces
        taken: i64 = self.taken[path]
        while taken >> target & 1:
            target += 1
        return target if target <= self.board.last[path] else 0

    def power(self) -> i64:
        """Return the colour of the seat whose turn it is if its power is left, else NOBODY."""
        if not self.powers or self.used >> self.turn_of & 1:
            return NOBODY
        return self.colours[self.turn_of]

    def asks_for_eye(self) -> bool:
        """Return whether a fourth roll is on offer when no ordinary one is left (7.3)."""
        return self.powers and self.power() == HAS_EYE

    def asks_for_extra(self) -> bool:
        """Return whether another turn may follow this one (4.7, 7.2)."""
        return IS_PERFECT[self.dice] == 1 or (self.powers and self.power() == HAS_REBIRTH)

    def dead_spaces(self) -> list[tuple[int, int]]:
        """Return path and position of the plain spaces that may take a dead piece (3.3)."""
        most: int = RULES["dead"]["most_per_path"]
        return [
            (path, at)
            for path in range(PATHS)
            if self.dead[path].bit_count() < most
            for at in range(1, self.board.plain[path] + 1)
            if not self.dead[path] >> at & 1
        ]

    def has_all_numbered(self, seat: i64) -> bool:
        """Return whether all pieces of a seat are on numbers (5.1)."""
        positions, plain = self.positions, self.board.plain
        first = seat * PATHS
        path: i64
        for path in range(PATHS):  # noqa: SIM110  # a generator is slower
            if positions[first + path] <= plain[path]:
                return False
        return True


def _as_eye(keeps: list[int]) -> list[int]:
    """Return the actions of a fourth roll that keep the same dice (7.3)."""
    return [STOP if keep == STOP else keep - KEEP + EYE for keep in keeps]
