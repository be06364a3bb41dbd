"""Evaluation of a step's selectors: their pieces and squares (13)."""

from __future__ import annotations

from pentathlon_engines.contract.bits import IS_COMPILED
from pentathlon_engines.tash_kalar.board import (
    ADJACENT,
    ALL,
    BIT,
    DIAGONAL,
    ORTHOGONAL,
    WITHIN,
    bits,
    spread,
)
from pentathlon_engines.tash_kalar.cards import program as words
from pentathlon_engines.tash_kalar.cards.catalogue import PATTERNS
from pentathlon_engines.tash_kalar.cards.patterns import COMMON, HEROIC, LEGENDARY
from pentathlon_engines.tash_kalar.cards.program import Place
from pentathlon_engines.tash_kalar.constants import RANKS_EACH
from pentathlon_engines.tash_kalar.effect import Effect
from pentathlon_engines.tash_kalar.seat_pieces import SeatPieces, joined
from pentathlon_engines.tash_kalar.state import TashKalarPosition

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final

    from pentathlon_engines.contract.compiler import i64


def select(state: TashKalarPosition, effect: Effect, selector: words.Selector) -> int:
    """Return the pieces that a selector names."""
    found = owned(state, selector.owner, selector.ranks)
    places = selector.places
    if found and (len(places) > 1 or places[0].kind != "board"):
        found &= at_places(state, effect, places)
    if selector.without_self and effect.me >= 0:
        found &= ~BIT[effect.me]
    if selector.leaves_out:
        found &= ~_excluded(state, effect, selector)
    if selector.own_beside and found:
        found = _keep_guarded(state, effect, selector, found)
    if selector.owner_condition and found and not is_outnumbered(state, selector.owner_condition):
        return 0
    return found


def _keep_guarded(
    state: TashKalarPosition, effect: Effect, selector: words.Selector, squares: int
) -> int:
    """Return the pieces with as many adjacent own pieces as their rank requires."""
    own = state.own(state.active)
    if selector.without_self and effect.me >= 0:
        own &= ~BIT[effect.me]
    found = 0
    for square in bits(squares):
        if (ADJACENT[square] & own).bit_count() >= selector.own_beside[state.rank_at(square)]:
            found |= BIT[square]
    return found


def _excluded(state: TashKalarPosition, effect: Effect, selector: words.Selector) -> int:
    """Return the Gateway and an earlier step's piece, if the selector excludes them."""
    found = 0
    if selector.without_gateway and state.gateway >= 0:
        found = BIT[state.gateway]
    slot = selector.without_piece
    if slot >= 0 and effect.pieces[slot] >= 0:
        found |= BIT[effect.pieces[slot]]
    return found


def owned(state: TashKalarPosition, owner: int, ranks: int) -> int:
    """Return the pieces of these ranks of an owner, relative to the active seat."""
    if IS_COMPILED:
        return _owned_in_words(state, owner, ranks)
    found = 0
    pieces = state.pieces
    mine = RANKS_EACH * state.active
    for rank in range(RANKS_EACH):
        if ranks >> rank & 1:
            if owner != words.ENEMY:
                found |= pieces[mine + rank]
            if owner != words.OWN:
                found |= pieces[RANKS_EACH - mine + rank]
    return found


def _owned_in_words(state: TashKalarPosition, owner: int, ranks: int) -> int:
    low: i64 = 0
    high: i64 = 0
    if owner != words.ENEMY:
        low, high = _of_ranks(state.sides[state.active], ranks)
    if owner != words.OWN:
        more_low, more_high = _of_ranks(state.sides[1 - state.active], ranks)
        low |= more_low
        high |= more_high
    return joined(low, high)


def _of_ranks(side: SeatPieces, ranks: int) -> tuple[i64, i64]:
    low: i64 = 0
    high: i64 = 0
    if ranks & 1 << COMMON:
        low, high = side.low ^ side.upgraded_low, side.high ^ side.upgraded_high
    if ranks & 1 << HEROIC:
        low |= side.upgraded_low ^ side.legendary_low
        high |= side.upgraded_high ^ side.legendary_high
    if ranks & 1 << LEGENDARY:
        low |= side.legendary_low
        high |= side.legendary_high
    return low, high


def is_outnumbered(state: TashKalarPosition, condition: int) -> bool:
    """Return whether the enemy has more commons, more upgraded pieces, or more pieces."""
    me, enemy = state.active, 1 - state.active
    if condition == words.MORE_COMMONS:
        return state.count_rank(enemy, COMMON) > state.count_rank(me, COMMON)
    if condition == words.MORE_UPGRADED:
        return state.count_upgraded(enemy) > state.count_upgraded(me)
    return state.count(enemy) > state.count(me)


def upgradable(state: TashKalarPosition) -> int:
    """Return the pieces that can be upgraded (6.3)."""
    found = owned(state, words.ANY, 1 << COMMON)
    for seat in (0, 1):
        if state.legendaries(seat) > 0:
            found |= state.of_rank(seat, HEROIC)
    return found


def downgradable(state: TashKalarPosition) -> int:
    """Return the pieces that can be downgraded (6.3)."""
    found = owned(state, words.ANY, 1 << HEROIC)
    for seat in (0, 1):
        if state.two_sided(seat) > 0:
            found |= state.of_rank(seat, LEGENDARY)
    return found


def at_places(state: TashKalarPosition, effect: Effect, places: tuple[words.Place, ...]) -> int:
    """Return the squares of all these places."""
    found = 0
    for place in places:
        found |= PLACES[place.kind](state, effect, place)
    return found


def marks(state: TashKalarPosition, effect: Effect) -> int:
    """Return the marked squares of the pattern as it was fitted."""
    return PATTERNS[state.card].shapes[effect.shape].marks_at(effect.summon)


def _all_squares(state: TashKalarPosition, effect: Effect, place: words.Place) -> int:
    return ALL


def _fixed_squares(state: TashKalarPosition, effect: Effect, place: words.Place) -> int:
    return place.number


def _around_being(state: TashKalarPosition, effect: Effect, place: Place) -> int:
    """Return the squares around the being; none if it is gone (7.10)."""
    return _AROUND[place.kind][effect.me] if effect.me >= 0 else 0


def _within_distance(state: TashKalarPosition, effect: Effect, place: words.Place) -> int:
    return WITHIN[place.number][effect.me] if effect.me >= 0 else 0


def _rays_from_being(state: TashKalarPosition, effect: Effect, place: words.Place) -> int:
    shape = PATTERNS[state.card].shapes[effect.shape]
    return shape.rays_at(effect.me) if effect.me >= 0 else 0


def _near_summon(state: TashKalarPosition, effect: Effect, place: words.Place) -> int:
    return ADJACENT[effect.summon]


def _marked_squares(state: TashKalarPosition, effect: Effect, place: words.Place) -> int:
    return marks(state, effect)


def _squares_marked_twice(state: TashKalarPosition, effect: Effect, place: words.Place) -> int:
    return PATTERNS[state.card].shapes[effect.shape].more_marks_at(effect.summon)


def _used_squares(state: TashKalarPosition, effect: Effect, place: words.Place) -> int:
    return effect.used


def _near_own(state: TashKalarPosition, effect: Effect, place: words.Place) -> int:
    return spread(state.own(state.active))


def _near_enemy(state: TashKalarPosition, effect: Effect, place: words.Place) -> int:
    return spread(state.own(1 - state.active))


def _near_own_heroic(state: TashKalarPosition, effect: Effect, place: words.Place) -> int:
    return spread(owned(state, words.OWN, 1 << HEROIC))


def _near_two_own(state: TashKalarPosition, effect: Effect, place: words.Place) -> int:
    once = found = 0
    for square in bits(state.own(state.active)):
        found |= once & ADJACENT[square]
        once |= ADJACENT[square]
    return found


# 18.2: without a Gateway the following places have no squares.
def _gateway(state: TashKalarPosition, effect: Effect, place: words.Place) -> int:
    return BIT[state.gateway] if state.gateway >= 0 else 0


def _near_gateway(state: TashKalarPosition, effect: Effect, place: words.Place) -> int:
    return ADJACENT[state.gateway] if state.gateway >= 0 else 0


def _square_of_step(state: TashKalarPosition, effect: Effect, place: words.Place) -> int:
    square = effect.squares[place.number]
    return BIT[square] if square >= 0 else 0


def _near_square_of_step(state: TashKalarPosition, effect: Effect, place: words.Place) -> int:
    square = effect.squares[place.number]
    return ADJACENT[square] if square >= 0 else 0


def _piece_of_step(state: TashKalarPosition, effect: Effect, place: words.Place) -> int:
    piece = effect.pieces[place.number]
    return BIT[piece] if piece >= 0 else 0


_AROUND: Final[dict[str, tuple[int, ...]]] = {
    "self": BIT,
    "adjacent": ADJACENT,
    "orthogonal": ORTHOGONAL,
    "diagonal": DIAGONAL,
}
PLACES: Final[dict[str, Callable[[TashKalarPosition, Effect, words.Place], int]]] = {
    "board": _all_squares,
    "fixed": _fixed_squares,
    "self": _around_being,
    "adjacent": _around_being,
    "orthogonal": _around_being,
    "diagonal": _around_being,
    "distance_max": _within_distance,
    "pattern_rays": _rays_from_being,
    "adjacent_to_summon_square": _near_summon,
    "marked": _marked_squares,
    "marked_twice": _squares_marked_twice,
    "used": _used_squares,
    "adjacent_to_own": _near_own,
    "adjacent_to_enemy": _near_enemy,
    "adjacent_to_own_heroic": _near_own_heroic,
    "adjacent_to_two_own": _near_two_own,
    "gateway": _gateway,
    "adjacent_to_gateway": _near_gateway,
    "square_of": _square_of_step,
    "adjacent_to": _near_square_of_step,
    "piece_of": _piece_of_step,
}
