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
from pentathlon_engines.tash_kalar.cards.catalogue import FIRST_FLARE, NEEDS
from pentathlon_engines.tash_kalar.cards.patterns import COMMON, HEROIC
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
from pentathlon_engines.tash_kalar.seat_pieces import draw_in_words
from pentathlon_engines.tash_kalar.square_lists import LIFTS, PLACEMENTS
from pentathlon_engines.tash_kalar.state import TashKalarPosition
from pentathlon_engines.tash_kalar.summoning import (
    count_summons,
    find_summons,
    list_summons,
    nth_of_counted,
    nth_summons,
    shortage_actions,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from pentathlon_engines.contract.game import Draw

_LEAST_UPPER: Final[int] = min([upper for upper, _ in NEEDS])
_LEAST_LOWER: Final[int] = min([lower for _, lower in NEEDS])
"""`_LEAST_UPPER` and `_LEAST_LOWER`: with deficits below both, no flare holds."""
_NONE: Final[list[int]] = []
_ONLY_FLARE: Final[list[int]] = [FLARE]
_ONLY_END: Final[list[int]] = [END]
"""`_NONE`, `_ONLY_FLARE` and `_ONLY_END` are lists that nobody may change."""


def legal_now(state: TashKalarPosition) -> list[int]:
    """Return the legal actions, a read-only list that is cached per position."""
    if state.legal is None:
        state.legal = find_legal(state)
    return state.legal


def find_legal(state: TashKalarPosition) -> list[int]:
    """List the legal actions; `legal_now` caches the list."""
    # Direct calls instead of a table, as in `moves.py`.
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
    """Draw a legal action, listing no more than necessary."""
    phase = state.phase
    if state.legal is None:
        if phase == MAIN and not state.directly:
            return _draw_main_action(state, draw)
        if phase == PLACING:
            return PLACES[state.nth_free(int(draw() * state.count_free()))]
        if phase == RETURNING:
            return _draw_return(state, draw)
    actions = legal_now(state)
    count = len(actions)
    return actions[int(draw() * count)]


def _draw_main_action(state: TashKalarPosition, draw: Draw) -> int:
    lifts = state.two_sided(state.active) <= 0
    room = state.count_two_sided(state.active) if lifts else state.count_free()
    cards, discards = _discardable(state)
    free = _free_plays(state)
    others = discards + len(free)
    first = 0
    if IS_COMPILED:
        first = count_summons(state)
        pick = int(draw() * (first + others + room))
        if pick < first:
            return nth_of_counted(state, pick)
    else:
        summons = find_summons(state)
        for _, squares in summons:
            first += squares.bit_count()
        pick = int(draw() * (first + others + room))
        if pick < first:
            return nth_summons(summons, pick)
    pick -= first
    if pick < discards:
        return DISCARDS[cards[pick]]
    if pick < others:
        return free[pick - discards]
    return _draw_pickup(state, draw) if lifts else _draw_placement(state, draw)


def _draw_return(state: TashKalarPosition, draw: Draw) -> int:
    """Draw one of the cards to return, or the end, whose text comes first."""
    cards = state.loose(state.active)
    pick = int(draw() * (1 + len(cards)))
    if pick == 0:
        return FINISH
    found = [RETURNS[card] for card in cards]
    found.sort()
    return found[pick - 1]


def _draw_placement(state: TashKalarPosition, draw: Draw) -> int:
    if IS_COMPILED:
        low, high = state.free_words()
        return PLACES[draw_in_words(low, high, draw)]
    board = state.board
    while True:
        square = int(draw() * GRID)
        if not board[square] and PLACES[square] >= 0:
            return PLACES[square]


def _draw_pickup(state: TashKalarPosition, draw: Draw) -> int:
    if IS_COMPILED:
        low, high = state.sides[state.active].two_sided()
        return PICKUPS[draw_in_words(low, high, draw)]
    board, first = state.board, RANKS_EACH * state.active
    while True:
        square = int(draw() * GRID)
        if 1 + COMMON <= board[square] - first <= 1 + HEROIC:
            return PICKUPS[square]


def end_actions(state: TashKalarPosition) -> list[int]:
    """Return the actions that may close a turn, in a read-only list (5.7)."""
    free, claims = _free_plays(state), tasks.list_claims(state)
    if not free and not claims:  # the usual case
        return _ONLY_END
    found = [END, *free, *claims]
    found.sort()
    return found


def halves_that_hold(state: TashKalarPosition, flare: int, seat: int) -> int:
    """Return which halves of a flare would hold for a seat now (9.1); 0 for flares below 0."""
    if flare < 0:
        return 0
    upper, lower = NEEDS[flare]
    upgraded, more = _deficits(state, seat)
    if upgraded >= upper:
        return UPPER | LOWER if more >= lower else UPPER
    return LOWER if more >= lower else 0


def halves_in_hand(state: TashKalarPosition) -> int:
    """Return which halves of the active seat's flare hold now; 0 without a flare (9.1)."""
    if IS_COMPILED:  # the pieces are counted faster than the card is found
        upgraded, more = _deficits(state, state.active)
        if upgraded < _LEAST_UPPER and more < _LEAST_LOWER:
            return 0
    cards = state.hands[state.active]
    if not cards or cards[-1] < FIRST_FLARE:
        return 0
    return halves_that_hold(state, cards[-1] - FIRST_FLARE, state.active)


def _deficits(state: TashKalarPosition, seat: int) -> tuple[int, int]:
    """Return how many fewer upgraded pieces, and pieces, a seat has than the other."""
    if IS_COMPILED:
        mine, theirs = state.sides[seat], state.sides[1 - seat]
        return int(theirs.upgraded - mine.upgraded), int(theirs.pieces - mine.pieces)
    ours, heroics, great, commons, their_heroics, their_great = state.counts
    upgraded = their_heroics + their_great - heroics - great
    more = upgraded + commons - ours
    return (-upgraded, -more) if seat else (upgraded, more)


def _main_actions(state: TashKalarPosition) -> list[int]:
    """Return placements, summonings, discards and the flare (5.2, 5.3).

    The kinds of actions follow the order of their texts, so only actions within a kind are sorted.
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
        found = LIFTS.on(state.two_sided_pieces(state.active), others)
    if state.acts_freely(state.active):
        _add_card_effects(state, summons)
    if summons:
        summons.sort()  # free plays come after them: `thaw`, `warp`
        found += summons
    return found


def _free_plays(state: TashKalarPosition) -> list[int]:
    """Return the flare and the free plays of cards, in a read-only list."""
    found = _ONLY_FLARE if halves_in_hand(state) else _NONE
    if state.acts_freely(state.active):
        found = found[:]
        _add_card_effects(state, found)
    return found


def _discards_in_order(state: TashKalarPosition) -> list[int]:
    """Return the discards of beings in the order of their texts, in a read-only list."""
    if not state.pending:
        return state.hand(state.active).in_order
    cards, discards = _discardable(state)
    return sorted([DISCARDS[card] for card in cards[:discards]])


def _discardable(state: TashKalarPosition) -> tuple[list[int], int]:
    """Return a read-only list of cards, and how many at its front may be discarded."""
    if state.discarded:
        return _NONE, 0
    hand = state.hand(state.active)
    if not state.pending:
        return hand.cards, hand.schooled
    found = [card for card in hand.cards[: hand.schooled] if not state.pending >> card & 1]
    return found, len(found)


def _add_card_effects(state: TashKalarPosition, found: list[int]) -> None:
    """Add the free plays of expansion schools, which are possible between other actions (18)."""
    if state.frozen >= 0 and everfrost.can_thaw(state):
        found.append(THAW)
    etherweave.add_warps(state, found)


def _returns(state: TashKalarPosition) -> list[int]:
    """Return the other cards that may go under their decks after a discard (5.6)."""
    found = [RETURNS[card] for card in state.loose(state.active)]
    found.append(FINISH)
    found.sort()
    return found
