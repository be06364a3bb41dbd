"""The legal actions of the seat to move, by phase of the turn (5, 7.5, 9.1)."""

from __future__ import annotations

from pentathlon_engines.contract.bits import IS_COMPILED
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
from pentathlon_engines.tash_kalar.board import GRID
from pentathlon_engines.tash_kalar.cards.catalogue import (
    FIRST_FLARE,
    NEEDS,
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
from pentathlon_engines.tash_kalar.square_lists import LIFTS, PLACEMENTS
from pentathlon_engines.tash_kalar.state import TashKalarPosition
from pentathlon_engines.tash_kalar.summoning import (
    find_spots,
    find_summons,
    list_summons,
    nth_spot,
    nth_summons,
    shortage_actions,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from pentathlon_engines.contract.game import Draw

_NONE: Final[list[int]] = []
"""A read-only list."""


def legal_now(state: TashKalarPosition) -> list[int]:
    """Return the legal actions, a read-only list that is cached per position."""
    if state.legal is None:
        state.legal = find_legal(state)
    return state.legal


def find_legal(state: TashKalarPosition) -> list[int]:
    """List the legal actions; `legal_now` caches the list."""
    # Direct calls and no table, as in `moves.py`.
    phase = state.phase
    if phase == MAIN:
        return _main_actions(state)
    if phase in (PLACING, RETURNING):
        return PLACEMENTS.on(state.free()) if phase == PLACING else _returns(state)
    if phase == RESOLVING:
        interpreter.run(state)
        return state.legal or []
    if phase in (SHORTAGE, TURN_END):
        return shortage_actions(state) if phase == SHORTAGE else end_actions(state)
    return sorted(SETUPS) if phase == SETTING_UP else []


def draw_action(state: TashKalarPosition, draw: Draw) -> int:
    """Draw a legal action, without listing more than it must."""
    phase = state.phase
    if state.legal is None:
        if phase == MAIN and not state.directly:
            return _draw_main_action(state, draw)
        if phase == PLACING:
            return PLACES[state.nth_free(int(draw() * state.count_free()))]
        if phase == RETURNING:
            return _draw_return(state, draw)
    actions = legal_now(state)
    return actions[int(draw() * len(actions))]


def _draw_main_action(state: TashKalarPosition, draw: Draw) -> int:
    lifts = state.two_sided(state.active) <= 0
    room = _count_two_sided(state) if lifts else state.count_free()
    discards = [] if state.discarded else _schooled(state)
    free = _free_plays(state)
    others = len(discards) + len(free)
    first = 0
    if IS_COMPILED:
        spots = find_spots(state)
        for spot in spots:
            first += spot.count
        pick = int(draw() * (first + others + room))
        if pick < first:
            return nth_spot(spots, pick)
    else:
        summons = find_summons(state)
        for _, squares in summons:
            first += squares.bit_count()
        pick = int(draw() * (first + others + room))
        if pick < first:
            return nth_summons(summons, pick)
    pick -= first
    if pick < len(discards):
        return DISCARDS[discards[pick]]
    if pick < others:
        return free[pick - len(discards)]
    return _draw_pickup(state, draw) if lifts else _draw_placement(state, draw)


def _draw_return(state: TashKalarPosition, draw: Draw) -> int:
    """Draw one of the cards, or the end, whose text comes first."""
    cards = state.loose(state.active)
    pick = int(draw() * (1 + len(cards)))
    if pick == 0:
        return FINISH
    return sorted([RETURNS[card] for card in cards])[pick - 1]


def _draw_placement(state: TashKalarPosition, draw: Draw) -> int:
    board = state.board
    while True:
        square = int(draw() * GRID)
        if not board[square] and PLACES[square] >= 0:
            return PLACES[square]


def _draw_pickup(state: TashKalarPosition, draw: Draw) -> int:
    board, first = state.board, RANKS_EACH * state.active
    while True:
        square = int(draw() * GRID)
        if 1 + COMMON <= board[square] - first <= 1 + HEROIC:
            return PICKUPS[square]


def end_actions(state: TashKalarPosition) -> list[int]:
    """Return the actions that may close a turn: a flare first, a claim, or none (5.7)."""
    found = [END]
    if halves_in_hand(state):
        found.append(FLARE)
    if state.acts_freely(state.active):
        _add_card_effects(state, found)
    if state.current:
        tasks.add_claims(state, found)
    if len(found) > 1:
        found.sort()
    return found


def halves_that_hold(state: TashKalarPosition, flare: int, seat: int) -> int:
    """Return which halves of a flare would hold for a seat now (9.1); 0 for flares below 0."""
    if flare < 0:
        return 0
    upper, lower = NEEDS[flare]
    commons, heroics, legendaries, their_commons, their_heroics, their_legendaries = state.counts
    upgraded = their_heroics + their_legendaries - heroics - legendaries
    if seat:
        upgraded = -upgraded
        more = upgraded + commons - their_commons
    else:
        more = upgraded + their_commons - commons
    if upgraded >= upper:
        return UPPER | LOWER if more >= lower else UPPER
    return LOWER if more >= lower else 0


def halves_in_hand(state: TashKalarPosition) -> int:
    """Return which halves of the active seat's flare hold now; 0 without a flare (9.1)."""
    cards = state.hands[state.active]
    if not cards or cards[-1] < FIRST_FLARE:
        return 0
    return halves_that_hold(state, cards[-1] - FIRST_FLARE, state.active)


def _main_actions(state: TashKalarPosition) -> list[int]:
    """Return placements, summonings, discards and the flare (5.2, 5.3).

    Actions are in the order of their texts, so that only those of a kind must be sorted.
    """
    summons = list_summons(state)
    if state.directly:  # 18.1.5: nothing but a summoning may follow
        summons.sort()
        return summons
    others: list[int] = [] if state.discarded else _discards_in_order(state)
    if halves_in_hand(state):
        others = [*others, FLARE]
    if state.two_sided(state.active) > 0:
        found = PLACEMENTS.on(state.free() if IS_COMPILED else state.empty, others)
    else:  # 5.5: none is in supply, so a piece is placed elsewhere
        found = LIFTS.on(_two_sided_pieces(state), others)
    if state.acts_freely(state.active):
        _add_card_effects(state, summons)
    if summons:
        summons.sort()  # what cards do by themselves comes behind them: `thaw`, `warp`
        found += summons
    return found


def _free_plays(state: TashKalarPosition) -> list[int]:
    """Return the flare and what cards do by themselves, in a read-only list."""
    has_flare = halves_in_hand(state)
    if not has_flare and not state.acts_freely(state.active):
        return _NONE
    found = [FLARE] if has_flare else []
    _add_card_effects(state, found)
    return found


def _discards_in_order(state: TashKalarPosition) -> list[int]:
    """Return the discards of beings in the order of their texts, in a read-only list."""
    if not state.pending:
        return state.hand(state.active).in_order
    return sorted([DISCARDS[card] for card in _schooled(state)])


def _schooled(state: TashKalarPosition) -> list[int]:
    """Return the beings of a school that may be discarded."""
    hand = state.hand(state.active)
    held = hand.cards[: hand.schooled]
    return [card for card in held if not state.pending >> card & 1] if state.pending else held


def _two_sided_pieces(state: TashKalarPosition) -> int:
    return state.own(state.active) & ~state.of_rank(state.active, LEGENDARY)


def _count_two_sided(state: TashKalarPosition) -> int:
    first = RANKS_EACH * state.active
    return state.counts[first + COMMON] + state.counts[first + HEROIC]


def _add_card_effects(state: TashKalarPosition, found: list[int]) -> None:
    """Add the free actions of expansion schools, before and after any other action (18)."""
    if state.frozen >= 0 and everfrost.can_thaw(state):
        found.append(THAW)
    etherweave.add_warps(state, found)


def _returns(state: TashKalarPosition) -> list[int]:
    """Return the other cards that may go under their decks after a discard (5.6)."""
    found = [RETURNS[card] for card in state.loose(state.active)]
    found.append(FINISH)
    found.sort()
    return found
