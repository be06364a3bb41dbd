"""What stands on the paths and lies on the table, and which actions that allows.

Sections in brackets are those of the rules page.
"""

from __future__ import annotations

from abc import abstractmethod

from pentathlon_engines.game import State
from pentathlon_engines.info import Outcome
from pentathlon_engines.way_of_the_dragon.actions import (
    AGAIN,
    END,
    EQUILIBRIUM,
    EQUILIBRIUM_JUMP,
    EYE,
    FEAR,
    JUMP,
    KEEP,
    MOVE,
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
    HAS_ANXIETY,
    HAS_DRAGON,
    HAS_EYE,
    HAS_FEAR,
    HAS_REBIRTH,
    Board,
)
from pentathlon_engines.way_of_the_dragon.dice import (
    CALLED,
    COUNTS,
    DICE,
    DRAGON,
    IS_BALANCED,
    IS_PERFECT,
    PARTS,
    RULES,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

DEAD: Final = 0
"""Chance places a dead piece."""
START: Final = 1
"""Chance draws the seat that begins."""
ROLL: Final = 2
"""Chance rolls the dice that are not kept."""
KEEPING: Final = 3
MOVING: Final = 4
EXTRA: Final = 5
OVER: Final = 6
PHASES: Final = ("dead", "start", "roll", "keep", "move", "extra", "over")

NOBODY: Final = -1
REROLLS: Final[int] = RULES["rolls_per_turn"] - 1


class RaceOutcome(Outcome):
    """How a match ended, with the pieces on numbers per seat, which break ties (5.3)."""

    __slots__ = ("numbered",)

    def __init__(
        self,
        ranks: tuple[int, ...],
        reason: str,
        scores: tuple[int, ...],
        *,
        numbered: tuple[int, ...],
    ) -> None:
        super().__init__(ranks, reason, scores)
        self.numbered = numbered

    def to_json(self) -> dict[str, Any]:
        """Return the field `result` of a position."""
        return {**super().to_json(), "numbered": list(self.numbered)}


class Table(State):
    """The paths, the dice and whose turn it is.

    `positions` has five numbers per seat, one per path; `taken` one mask per path with a bit for
    each position where a piece or a dead piece stands.
    """

    __slots__ = (
        "board",
        "colors",
        "dead",
        "dice",
        "kept",
        "last",
        "moved",
        "phase",
        "ply",
        "positions",
        "rolls_left",
        "taken",
        "turn",
        "turn_of",
        "used",
    )

    board: Board
    colors: tuple[int, ...]
    positions: list[int]
    taken: list[int]
    dead: tuple[int, ...]
    """Masks of the dead pieces, one per path."""
    phase: int
    turn: int
    """How many turns have been rolled, this one included."""
    turn_of: int
    """The seat whose turn it is, also while chance decides; NOBODY before the first turn."""
    dice: int
    """What was rolled last."""
    kept: int
    """The dice that stay in the next roll or stayed in the last one of this turn."""
    rolls_left: int
    used: int
    """One bit per seat that has used its power."""
    last: tuple[int, int]
    """Seat and number of the last action; NOBODY and 0 before the first."""
    moved: tuple[tuple[int, int, int], ...]
    """Path, origin and target of what the last action of phase move has moved."""
    ply: int

    @abstractmethod
    def copy(self) -> Table:
        """Return an independent twin of this state."""

    def legal_actions(self) -> list[int]:
        """Return what the seat to move may do, in the order of the rules (9)."""
        phase = self.phase
        if phase == KEEPING:
            keep = KEEP if self.rolls_left else EYE
            return [STOP, *(keep + kept for kept in PARTS[self.dice])]
        if phase == MOVING:
            return self._balanced_moves() if IS_BALANCED[self.dice] else self._ordinary_moves()
        if phase == EXTRA:
            return [END, AGAIN if IS_PERFECT[self.dice] else REBIRTH]
        return []

    def _ordinary_moves(self) -> list[int]:
        """Return moves, then what powers and dragons allow, then whether nothing is (4.3, 7)."""
        counts = COUNTS[self.dice]
        plain, taken = self.board.plain, self.taken
        moves: list[int] = []
        blocked: list[int] = []
        first = self.turn_of * PATHS
        for path in range(PATHS):
            at, count = self.positions[first + path], counts[path]
            if count and at <= plain[path]:
                (blocked if taken[path] >> at + count & 1 else moves).append(path)
        actions = [MOVE + path for path in moves]
        power = self.power()
        if power == HAS_ANXIETY:
            actions += [JUMP + path for path in blocked if self.landing(path, counts[path])]
        elif power == HAS_DRAGON and counts[DRAGON]:
            self._add_wild(actions)
        for path in CALLED[self.dice]:
            self._add_swaps(actions, path)
        if not moves:
            actions.append(PASS)
        elif power == HAS_FEAR:
            actions.append(FEAR)
        return actions

    def _add_wild(self, actions: list[int]) -> None:
        """Add moves in which rolled dragons stand in for an element (7.4)."""
        counts = COUNTS[self.dice]
        for path in range(PATHS):
            at = self.positions[self.turn_of * PATHS + path]
            if at > self.board.plain[path]:
                continue
            fewest, most = counts[path] + 1, counts[path] + counts[DRAGON]
            actions += [
                WILD + path * DICE + spaces - 1
                for spaces in range(fewest, most + 1)
                if not self.taken[path] >> at + spaces & 1
            ]

    def _add_swaps(self, actions: list[int], path: int) -> None:
        """Add the swaps of two pieces on a path that are not immune (4.5, 8.1)."""
        immune = path if self.options["immunity"] else NOBODY
        pieces = sorted(
            at
            for at, color in zip(self.positions[path::PATHS], self.colors, strict=True)
            if at and color != immune
        )
        base = SWAP + path * len(PAIRS)
        for index, low in enumerate(pieces):
            actions += [base + PAIR_NUMBERS[low, high] for high in pieces[index + 1 :]]

    def _balanced_moves(self) -> list[int]:
        """Return what five different elements allow (4.6)."""
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
        """Return the paths on which the own piece would go one space but for a blocker."""
        return [path for path, at in self._walkers() if self.taken[path] >> at + 1 & 1]

    def _walkers(self) -> list[tuple[int, int]]:
        """Return path and position of own pieces that are not on a number."""
        first, plain = self.turn_of * PATHS, self.board.plain
        mine = enumerate(self.positions[first : first + PATHS])
        return [(path, at) for path, at in mine if at <= plain[path]]

    def landing(self, path: int, spaces: int) -> int:
        """Return the first empty space from so many spaces ahead on, 0 if there is none (7.5)."""
        target = self.positions[self.turn_of * PATHS + path] + spaces
        while self.taken[path] >> target & 1:
            target += 1
        return target if target <= self.board.last[path] else 0

    def power(self) -> int:
        """Return the color of the seat whose turn it is if its power is left, else NOBODY."""
        if not self.options["powers"] or self.used >> self.turn_of & 1:
            return NOBODY
        return self.colors[self.turn_of]

    def asks_for_eye(self) -> bool:
        """Say whether a fourth roll is on offer when no ordinary one is left (7.3)."""
        return self.power() == HAS_EYE

    def asks_for_extra(self) -> bool:
        """Say whether another turn may follow this one (4.7, 7.2)."""
        return IS_PERFECT[self.dice] or self.power() == HAS_REBIRTH

    def turn_cap(self) -> int:
        """Return the turn after which the match ends in any case (5.5)."""
        cap: int = self.options["turn_cap_per_player"]
        return cap * self.seats

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

    def has_all_numbered(self, seat: int) -> bool:
        """Say whether all pieces of a seat are on numbers (5.1)."""
        plain = self.board.plain
        first = seat * PATHS
        for path in range(PATHS):  # noqa: SIM110  # asked after every move: a generator is slower
            if self.positions[first + path] <= plain[path]:
                return False
        return True

    def count(self, reason: str) -> RaceOutcome:
        """Return points and ranks of this position (5.2, 5.3)."""
        scores, numbered = [], []
        for seat in range(self.seats):
            points = [
                self.board.points[path][self.positions[seat * PATHS + path]]
                for path in range(PATHS)
            ]
            scores.append(sum(points))
            numbered.append(sum(point > 0 for point in points))
        results = list(zip(scores, numbered, strict=True))
        ranks = tuple(sum(other > result for other in results) for result in results)
        return RaceOutcome(ranks, reason, tuple(scores), numbered=tuple(numbered))

    def ending(self) -> RaceOutcome | None:
        """Return the outcome if the match ends after the action that was just done (5)."""
        if any(self.has_all_numbered(seat) for seat in range(self.seats)):
            return self.count("race")
        return self.count("cap") if self.turn >= self.turn_cap() else None
