"""What the seat to move may do, by phase of the turn (5, 7.5, 9.1)."""

from __future__ import annotations

from bisect import bisect_left

from pentathlon_engines.tash_kalar import etherweave, everfrost, interpreter, tasks
from pentathlon_engines.tash_kalar.actions import (
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
from pentathlon_engines.tash_kalar.board import BIT, GRID, nth_square
from pentathlon_engines.tash_kalar.cards.catalogue import (
    FIRST_FLARE,
    FIRST_LEGEND,
    NEEDS,
    WARP_CARDS,
)
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
    if state.phase == PLACING and state.legal is None:
        return PLACES[nth_square(state.empty, int(draw() * state.empty.bit_count()))]
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
    if halves_in_hand(state):
        found.append(FLARE)
    _add_card_effects(state, found)
    if state.current:
        tasks.add_claims(state, found)
    if len(found) > 1:
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
    flare = state.hands[seat].bit_length() - 1 - FIRST_FLARE
    return halves_that_hold(state, flare, seat) if flare >= 0 else 0


def _main_actions(state: TashKalarPosition) -> list[int]:
    """Return placements, summonings, discards and the flare (5.2, 5.3).

    Actions are in the order of their texts, so that only those of a kind must be sorted.
    """
    summons: list[int] = []
    add_summons(state, summons)
    if state.directly:  # 18.1.5: nothing but a summoning may follow
        summons.sort()
        return summons
    found = [] if state.discarded else _discards_in_order(state)
    if halves_in_hand(state):
        found.append(FLARE)
    found += _placements(state) if state.two_sided(state.active) > 0 else _pickups(state)
    _add_card_effects(state, summons)
    summons.sort()  # what cards do by themselves comes behind them: `thaw`, `warp`
    found += summons
    return found


def _plays(state: TashKalarPosition) -> list[int]:
    """Return all main actions with a card, in no order."""
    found: list[int] = []
    add_summons(state, found)
    if not state.discarded:
        found += _discards(state)
    if halves_in_hand(state):
        found.append(FLARE)
    _add_card_effects(state, found)
    return found


def _discards_in_order(state: TashKalarPosition) -> list[int]:
    """Return the discards of beings in a new list in the order of their texts."""
    if not state.pending:
        return state.hand(state.active).in_order[:]
    return sorted(_discards(state))


def _discards(state: TashKalarPosition) -> list[int]:
    """Return the discards of beings in the order of the cards, in a list that is only read."""
    discards = state.hand(state.active).discards
    if not state.pending:
        return discards
    held = state.loose(state.active)
    return [DISCARDS[card] for card in held if card < FIRST_LEGEND]


def _pickups(state: TashKalarPosition) -> list[int]:
    """Return which own pieces may be placed elsewhere, for there is none in supply (5.5).

    The list is only read and kept, as that of placements.
    """
    seat, squares = state.active, _two_sided_pieces(state)
    if squares != state.picked_for[seat]:
        state.pickups[seat] = _relist(
            state.pickups[seat], squares, state.picked_for[seat], PICKUPS
        )
        state.picked_for[seat] = squares
    return state.pickups[seat]


def _two_sided_pieces(state: TashKalarPosition) -> int:
    first = RANKS_EACH * state.active
    return state.pieces[first + COMMON] | state.pieces[first + HEROIC]


def _add_card_effects(state: TashKalarPosition, found: list[int]) -> None:
    """Add what expansion schools may do before and after any action, which costs none (18)."""
    if state.frozen >= 0 and everfrost.can_thaw(state):
        found.append(THAW)
    if state.hands[state.active] & WARP_CARDS:
        etherweave.add_warps(state, found)


def _placements(state: TashKalarPosition) -> list[int]:
    """Return the placements on empty squares in a list that is only read.

    It is kept, since few squares change between two listings.
    """
    if state.empty != state.placed_for:
        state.placements = _relist(state.placements, state.empty, state.placed_for, PLACES)
        state.placed_for = state.empty
    return state.placements


def _relist(listed: list[int], squares: int, listed_for: int, table: list[int]) -> list[int]:
    """Return what a table has for some squares, given a list of that for nearly the same."""
    found = listed[:]
    changed = squares ^ listed_for
    while changed:
        square = changed.bit_length() - 1
        bit = BIT[square]
        place = bisect_left(found, table[square])
        if squares & bit:
            found.insert(place, table[square])
        else:
            del found[place]
        changed ^= bit
    return found


def _returns(state: TashKalarPosition) -> list[int]:
    """Return which other cards may follow under their decks after a discard (5.6)."""
    found = [RETURNS[card] for card in state.loose(state.active)]
    found.append(FINISH)
    found.sort()
    return found
