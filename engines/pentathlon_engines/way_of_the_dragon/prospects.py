"""The share of the other seats that each seat may expect to beat, for search.

Between two turns a pairwise logistic model estimates the shares (`strengths.json`). Its weights
were fitted to matches of five noisy players, greedy ones and some that chose by this model. They
depend on how many numbers a seat and the foremost other one have reached, because a piece may wait
for a high number only until somebody ends the race. The share of a seat is the mean of its chances
against each of the others.

Within a turn the dice are few enough to go through all of them, so the expectation is exact, with
ordinary moves, equilibrium and calls of the dragon. Only powers and extra turns are not foreseen.
Calls decide matches: with them in the expectation, `mcts` collects dragons when a swap is worth
more than any move, and was first in 36 of 100 matches at a table of greedy bots, against 27
without.
"""

from __future__ import annotations

from math import exp

from pentathlon_engines.light_json import read_data
from pentathlon_engines.way_of_the_dragon.actions import EQUILIBRIUM, PATHS, SWAP
from pentathlon_engines.way_of_the_dragon.board import KEEPING, MOVING, ROLL
from pentathlon_engines.way_of_the_dragon.dice import (
    ALL,
    CALLED,
    FACES,
    IS_BALANCED,
    NONE,
    NUMBERS,
    PARTS,
    REROLLS,
    RULES,
    SHOWN,
    WORDS,
    rolls,
)
from pentathlon_engines.way_of_the_dragon.moves import is_race, rank_seats

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Final

    from pentathlon_engines.way_of_the_dragon.state import WayOfTheDragonPosition

_HALF: Final = 0.5
_KNOWN_TURNS: Final = 64


class _Phase:
    """The weights for a seat, by how many numbers it and the foremost other seat have."""

    __slots__ = ("at", "crowd", "late", "level", "taken")

    def __init__(self, fitted: dict[str, Any]) -> None:
        self.at: list[float] = fitted["at"]
        """The weight of a piece, by its position."""
        self.taken: list[float] = fitted["taken"]
        """The weight of each taken number on the path of a piece that is still on its way."""
        self.level: float = fitted["level"]
        """The weight of being in this phase at all."""
        self.late: float = fitted["late"]
        """The weight of the share of a round for which the seat waits for its turn."""
        self.crowd: float = fitted["crowd"]
        """The weight of the share of seats that have all numbers, or all but one."""


_FITTED: Final[dict[str, Any]] = read_data(__file__, "strengths.json")  # JSON
_PLAIN: Final[int] = _FITTED["plain_spaces"]
_PHASES: Final = [[_Phase(fitted) for fitted in row] for row in _FITTED["phases"]]
"""The weights by how many numbers a seat has reached and the most that another one has."""
_NEARLY: Final = PATHS - 1


def shares(state: WayOfTheDragonPosition) -> list[float]:
    """Return for each seat the share of the others that it may expect to beat."""
    if state.outcome is not None:
        return _shares_of(state.outcome.ranks)
    found = _between_turns(state)
    if state.phase < ROLL or _is_new_turn(state):
        return found
    mine = state.turn_of
    expected = _turn_of(state).expect(state)
    others = sum(found) - found[mine]
    rest = (sum(found) - expected) / others if others else 0.0
    return [expected if seat == mine else share * rest for seat, share in enumerate(found)]


class _Turn:
    """The expectations of the seat whose turn it is for all dice of that turn."""

    def __init__(self, state: WayOfTheDragonPosition) -> None:
        moved = _expect_moves(state)
        self.keeping = [moved]
        """By rolls left and dice, the expectation of a seat that chooses the dice to keep."""
        self.rolling: list[list[float]] = []
        """By rolls left afterwards and kept dice, the expectation of who rolls the others."""
        for _ in range(REROLLS):
            self._add_roll()

    def expect(self, state: WayOfTheDragonPosition) -> float:
        """Return the expectation of a position in this turn."""
        if state.phase == ROLL:
            if state.rolls_left >= len(self.rolling):
                self._add_roll()
            return self.rolling[state.rolls_left][state.kept]
        if state.phase == KEEPING:
            return self.keeping[state.rolls_left][state.dice - ALL]
        if state.phase == MOVING:
            return self.keeping[0][state.dice - ALL]
        return max(self.rolling[-1])  # another turn

    def _add_roll(self) -> None:
        last, moved = self.keeping[-1], self.keeping[0]
        rolled = [sum(weight * last[dice] for dice, weight in outcomes) for outcomes in _OUTCOMES]
        self.rolling.append(rolled)
        self.keeping.append(
            [
                max(stopped, *map(rolled.__getitem__, PARTS[ALL + dice]))
                for dice, stopped in enumerate(moved)
            ]
        )


_turns: Final[dict[tuple[object, ...], _Turn]] = {}


def _turn_of(state: WayOfTheDragonPosition) -> _Turn:
    """Return the turn of a position; positions of one turn share it."""
    rules = (state.board.plain, state.immunity, state.powers)
    key = (rules, state.turn_of, state.turn, state.dead, *state.positions)
    turn = _turns.get(key)
    if turn is None:
        if len(_turns) >= _KNOWN_TURNS:
            _turns.clear()
        turn = _turns[key] = _Turn(state)
    return turn


def _is_new_turn(state: WayOfTheDragonPosition) -> bool:
    return state.phase == ROLL and state.kept == NONE and state.rolls_left == REROLLS


def _expect_moves(state: WayOfTheDragonPosition) -> list[float]:
    """Return for all dice the expectation after the best move."""
    stays = _after(state, {})
    worth: dict[int, float] = {}
    advances: dict[int, int] = {}
    first = PATHS * state.turn_of
    for path, plain in enumerate(state.board.plain):
        at = state.positions[first + path]
        if at > plain:
            continue
        for count in range(1, 6):
            if not state.taken[path] >> at + count & 1:
                worth[path << 3 | count] = _after(state, {path: at + count})
                if count == 1:
                    advances[path] = at + 1
    balanced = _after(state, advances)
    called = _expect_calls(state)
    found = []
    for dice in range(ALL, len(WORDS)):
        if IS_BALANCED[dice]:
            found.append(balanced)
            continue
        moved = max((worth[move] for move in SHOWN[dice] if move in worth), default=stays)
        found.append(max([moved, *[called[path] for path in CALLED[dice]]]))
    return found


def _expect_calls(state: WayOfTheDragonPosition) -> list[float]:
    """Return for each path the expectation after the best swap on it; 0 where there is none."""
    rolled = state.copy()
    rolled.to_move, rolled.phase = state.turn_of, MOVING
    found = []
    for dice in _CALLS:
        rolled.dice = dice
        swaps = [action for action in rolled.legal_actions() if SWAP <= action < EQUILIBRIUM]
        found.append(max((_after_swap(rolled, swap) for swap in swaps), default=0.0))
    return found


def _after_swap(rolled: WayOfTheDragonPosition, swap: int) -> float:
    """Return the expectation of the seat on turn after it has called the dragon for this swap."""
    after = rolled.copy()
    after.apply_unchecked(swap)
    return _end_turn(after, rolled.turn_of, race=is_race(after))


def _after(state: WayOfTheDragonPosition, targets: dict[int, int]) -> float:
    """Return the expectation of the seat on turn after its pieces moved and its turn ended."""
    mine = state.turn_of
    after = state.copy()
    for path, at in targets.items():
        index = PATHS * mine + path
        before = after.positions[index]
        after.taken[path] = (after.taken[path] ^ (1 << before if before else 0)) | 1 << at
        after.positions[index] = at
    return _end_turn(after, mine, race=after.has_all_numbered(mine))


def _end_turn(after: WayOfTheDragonPosition, seat: int, *, race: bool) -> float:
    """Return the expectation of a seat whose turn ends with this position."""
    if race:
        return _shares_of(rank_seats(after, "race").ranks)[seat]
    after.turn_of = (seat + 1) % after.seats
    return _between_turns(after)[seat]


def _between_turns(state: WayOfTheDragonPosition) -> list[float]:
    """Return the shares when `turn_of` is about to begin its turn."""
    strengths, others = _strengths(state), state.seats - 1
    return [
        (sum([1 / (1 + exp(other - mine)) for other in strengths]) - _HALF) / others
        for mine in strengths
    ]


def _strengths(state: WayOfTheDragonPosition) -> list[float]:
    """Return the strength of each seat in the pairwise model."""
    seats, plain = state.seats, state.board.plain
    positions = [state.positions[PATHS * seat : PATHS * (seat + 1)] for seat in range(seats)]
    numbered = [sum([at > plain[path] for path, at in enumerate(mine)]) for mine in positions]
    numbers = [state.taken[path] >> plain[path] + 1 for path in range(PATHS)]
    nearly = sum([number >= _NEARLY for number in numbered]) / seats
    found = []
    for seat, mine in enumerate(positions):
        most = max([number for other, number in enumerate(numbered) if other != seat])
        phase = _PHASES[min(numbered[seat], _NEARLY)][min(most, _NEARLY)]
        waits = (seat - state.turn_of) % seats / seats
        strength = phase.level + phase.late * waits + phase.crowd * nearly
        for path, at in enumerate(mine):
            short = plain[path] - at
            strength += phase.at[max(_PLAIN - short, 0) if at else 0]
            if short >= 0:
                strength += _hindered(phase.taken, numbers[path])
        found.append(strength)
    return found


def _hindered(weights: list[float], taken: int) -> float:
    """Return the weight of the taken numbers for a piece that is still on its way."""
    return sum([weight for number, weight in enumerate(weights) if taken >> number & 1])


def _shares_of(ranks: Sequence[int]) -> list[float]:
    """Return for each seat the share of the others that it has beaten; a tie counts half."""
    return [
        (sum(1.0 if rank > mine else 0.5 for rank in ranks if rank >= mine) - 0.5)
        / (len(ranks) - 1)
        for mine in ranks
    ]


def _outcomes(kept: int) -> list[tuple[int, float]]:
    ways = rolls(kept)
    total = sum(number for _, number in ways)
    return [(dice - ALL, number / total) for dice, number in ways]


_CALLS: Final = [
    NUMBERS[face + RULES["dragon"] * RULES["dragons_to_call"]] for face in FACES[:PATHS]
]
"""For each path, dice with which the dragon may be called there and nowhere else."""
_OUTCOMES: Final = [_outcomes(kept) for kept in range(ALL)]
"""For each set of kept dice, all dice after the roll of the others, with probabilities."""
