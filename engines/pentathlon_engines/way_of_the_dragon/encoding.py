"""Positions of Way of the Dragon as numbers, which contain everything the rules depend on."""

from __future__ import annotations

from pentathlon_engines.encoding.pieces import choices, marks, piece, shares
from pentathlon_engines.way_of_the_dragon.actions import MOST_SPACES, PATHS
from pentathlon_engines.way_of_the_dragon.board import COLOURS, PHASES
from pentathlon_engines.way_of_the_dragon.dice import COUNTS, DICE, FACES, REROLLS, RULES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from pentathlon_engines.contract.compiler import i64
    from pentathlon_engines.way_of_the_dragon.state import WayOfTheDragonPosition

_CAP: Final[int] = RULES["turn_cap_per_player"]["most"]
_SEATS: Final = [choices(seats) for seats in range(len(COLOURS) + 1)]
_PHASES: Final = choices(len(PHASES))
_FLAGS: Final = marks(2)
_CAPS: Final = shares(_CAP)
_PLAIN: Final = shares(MOST_SPACES)
_COLOURS: Final = choices(len(COLOURS))
_SPACES: Final = choices(MOST_SPACES)
_USED: Final = marks(1)
_DICE: Final = [piece(count / DICE for count in counts) for counts in COUNTS]
_LEFT: Final = shares(REROLLS)
_turns: Final[dict[int, list[bytes]]] = {}
"""The shares of turns by the turn after which the match ends."""
_dead: Final[dict[int, bytes]] = {0: _SPACES[-1]}
"""The spaces with dead pieces by their mask."""


def size(seats: int) -> int:
    """Return how many numbers there are."""
    others = len(PHASES) + 4 + PATHS + PATHS * MOST_SPACES + 2 * len(FACES) + 1
    return seats * (3 + len(COLOURS) + PATHS * MOST_SPACES) + others


def encode(state: WayOfTheDragonPosition, seat: int, pieces: list[bytes]) -> None:
    """Add what a seat sees: turn, options, paths, colours, pieces, dead pieces, dice."""
    n: i64 = state.seats
    by_seat = _SEATS[n]
    mover, turn_of = state.to_move, state.turn_of
    pieces += (
        by_seat[-1 if mover is None else (mover - seat) % n],
        by_seat[-1 if turn_of < 0 else (turn_of - seat) % n],
        _PHASES[state.phase],
        _FLAGS[(1 if state.powers else 0) + (2 if state.immunity else 0)],
        _turns_of(state.cap)[state.turn],
        _CAPS[state.cap // n],
    )
    colours, used = state.colours, state.used
    order = [(seat + place) % n for place in range(n)]
    pieces += [_PLAIN[spaces] for spaces in state.board.plain]
    pieces += [_COLOURS[colours[other]] for other in order]
    first = seat * PATHS
    positions = state.positions[first:] + state.positions[:first]
    pieces += [_SPACES[position - 1] for position in positions]
    pieces += [_dead_of(mask) for mask in state.dead]
    pieces += [_USED[used >> other & 1] for other in order]
    pieces += (
        _DICE[state.dice],
        _DICE[state.kept],
        _LEFT[state.rolls_left],
    )


def _turns_of(cap: int) -> list[bytes]:
    turns = _turns.get(cap)
    if turns is None:
        turns = _turns[cap] = shares(cap)
    return turns


def _dead_of(mask: int) -> bytes:
    found = _dead.get(mask)
    if found is None:
        found = _dead[mask] = piece(mask >> space + 1 & 1 for space in range(MOST_SPACES))
    return found
