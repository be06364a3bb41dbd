"""What the seat to move may do, by phase of the turn (5, 7.5, 9.1)."""

from __future__ import annotations

from bisect import bisect_left

from pentathlon_engines.tash_kalar import etherweave, everfrost, interpreter, tasks
from pentathlon_engines.tash_kalar.actions import (
    CLAIMS,
    DISCARDS,
    END,
    FINISH,
    FLARE,
    PICKUPS,
    PLACES,
    RETURNS,
    SETUPS,
    THAW,
)
from pentathlon_engines.tash_kalar.board import GRID, bits, bits_of, listed
from pentathlon_engines.tash_kalar.cards.catalogue import FIRST_FLARE, FIRST_LEGEND, NEEDS
from pentathlon_engines.tash_kalar.cards.patterns import COMMON, HEROIC, LEGENDARY
from pentathlon_engines.tash_kalar.constants import (
    MAIN,
    PLACING,
    RANKS_EACH,
    RESOLVING,
    RETURNING,
    SETTING_UP,
    SHORTAGE,
    TURN_END,
)
from pentathlon_engines.tash_kalar.effect import LOWER, UPPER
from pentathlon_engines.tash_kalar.state import TashKalarPosition
from pentathlon_engines.tash_kalar.summoning import add_summons, shortage_actions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pentathlon_engines.contract.game import Draw


def legal_now(state: TashKalarPosition) -> list[int]:
    """Return the list of what is legal, which is made once in a position and only read."""
    if state.legal is None:
        state.legal = _find_legal(state)
    return state.legal


def _find_legal(state: TashKalarPosition) -> list[int]:
    # Direct calls and no table, as in `moves.py`.
    phase = state.phase
    if phase in (MAIN, TURN_END):
        return _main_actions(state) if phase == MAIN else end_actions(state)
    if phase == RESOLVING:
        interpreter.run(state)
        return state.legal or []
    if phase == RETURNING:
        return _returns(state)
    if phase in (PLACING, SHORTAGE):
        return _placements(state) if phase == PLACING else shortage_actions(state)
    return sorted(SETUPS) if phase == SETTING_UP else []


def draw_action(state: TashKalarPosition, draw: Draw) -> int:
    """Draw one of the legal actions; placements are many, and not listed."""
    if state.phase != MAIN or state.legal is not None or state.directly:
        actions = legal_now(state)
        return actions[int(draw() * len(actions))]
    found = _plays(state)
    squares, placements = state.empty, PLACES
    if state.two_sided(state.active) <= 0:
        squares, placements = _two_sided_pieces(state), PICKUPS
    pick = int(draw() * (len(found) + squares.bit_count()))
    if pick < len(found):
        return found[pick]
    while True:
        square = int(draw() * GRID)
        if squares >> square & 1:
            return placements[square]


def end_actions(state: TashKalarPosition) -> list[int]:
    """Return what may close a turn: a flare before, a claim, or nothing (5.7)."""
    found = [END]
    _add_free_plays(state, found)
    for task in bits_of(state.current):
        if tasks.is_satisfied(state, task, state.active):
            found.append(CLAIMS[task])  # noqa: PERF401  # mostly none, and no list is made
    found.sort()
    return found


def halves_that_hold(state: TashKalarPosition, flare: int, seat: int) -> int:
    """Return which halves of a flare would hold for a seat now (9.1)."""
    upper, lower = NEEDS[flare]
    counts, mine, theirs = state.counts, RANKS_EACH * seat, RANKS_EACH * (1 - seat)
    upgraded = counts[theirs + HEROIC] + counts[theirs + LEGENDARY]
    upgraded -= counts[mine + HEROIC] + counts[mine + LEGENDARY]
    more = upgraded + counts[theirs + COMMON] - counts[mine + COMMON]
    return (UPPER if upgraded >= upper else 0) | (LOWER if more >= lower else 0)


def halves_in_hand(state: TashKalarPosition) -> int:
    """Return which halves of the active seat's flare hold now; 0 without a flare (9.1)."""
    seat = state.active
    hand = state.hands[seat] >> FIRST_FLARE
    return halves_that_hold(state, hand.bit_length() - 1, seat) if hand else 0


def _main_actions(state: TashKalarPosition) -> list[int]:
    """Return placements, summonings, discards and the flare (5.2, 5.3)."""
    found: list[int] = []
    if state.directly:  # 18.1.5: nothing but a summoning may follow
        add_summons(state, found)
        found.sort()
        return found
    found = _plays(state)
    found.sort()
    placements = _placements(state) if state.two_sided(state.active) > 0 else _pickups(state)
    if placements:  # they are in order, and nothing else comes between them
        place = bisect_left(found, placements[0])
        found[place:place] = placements
    return found


def _plays(state: TashKalarPosition) -> list[int]:
    """Return all main actions with a card, in no order."""
    found: list[int] = []
    add_summons(state, found)
    if not state.discarded:
        held = state.loose(state.active)
        found.extend([DISCARDS[card] for card in held if card < FIRST_LEGEND])
    _add_free_plays(state, found)
    return found


def _pickups(state: TashKalarPosition) -> list[int]:
    """Return which own pieces may be placed elsewhere, for there is none in supply (5.5)."""
    return listed(_two_sided_pieces(state), PICKUPS)


def _two_sided_pieces(state: TashKalarPosition) -> int:
    first = RANKS_EACH * state.active
    return state.pieces[first + COMMON] | state.pieces[first + HEROIC]


def _add_free_plays(state: TashKalarPosition, found: list[int]) -> None:
    """Add what may be played before and after any action, and costs none (5.3, 18)."""
    if halves_in_hand(state):
        found.append(FLARE)
    if state.frozen >= 0 and everfrost.can_thaw(state):
        found.append(THAW)
    etherweave.add_warps(state, found)


def _placements(state: TashKalarPosition) -> list[int]:
    """Return the placements on empty squares in a list that is only read.

    It is kept, since few squares change between two listings.
    """
    changed = state.empty ^ state.placed_for
    if changed:
        found = state.placements[:]
        for square in bits(changed):
            place = bisect_left(found, PLACES[square])
            if state.empty >> square & 1:
                found.insert(place, PLACES[square])
            else:
                del found[place]
        state.placements, state.placed_for = found, state.empty
    return state.placements


def _returns(state: TashKalarPosition) -> list[int]:
    """Return which other cards may follow under their decks after a discard (5.6)."""
    found = [RETURNS[card] for card in state.loose(state.active)]
    found.append(FINISH)
    found.sort()
    return found
