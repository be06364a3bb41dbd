"""The choices that a step of an effect offers: pieces and squares (13)."""

from __future__ import annotations

from pentathlon_engines.contract.bits import IS_COMPILED
from pentathlon_engines.tash_kalar import actions, etherweave, everfrost
from pentathlon_engines.tash_kalar.board import (
    ADJACENT,
    ALL,
    BIT,
    COLOURED,
    EIGHT,
    RAYS,
    STEPS,
    WITHIN,
    add_bits,
    bits,
    distance,
    listed,
    spread,
)
from pentathlon_engines.tash_kalar.cards import program as words
from pentathlon_engines.tash_kalar.cards.catalogue import PATTERNS, PROGRAMS
from pentathlon_engines.tash_kalar.cards.patterns import COMMON, HEROIC, LEGENDARY, RANKS
from pentathlon_engines.tash_kalar.constants import RANKS_EACH
from pentathlon_engines.tash_kalar.effect import Effect
from pentathlon_engines.tash_kalar.selection import (
    at_places,
    downgradable,
    is_outnumbered,
    marks,
    owned,
    select,
    upgradable,
)
from pentathlon_engines.tash_kalar.square_lists import NOWHERE, add_moves, reach_in_words
from pentathlon_engines.tash_kalar.state import TashKalarPosition

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Final

_SECOND: Final = 2


def list_offers(state: TashKalarPosition, effect: Effect, step: words.Step) -> list[int]:
    """Return the actions of one repetition of a step, unordered and without `pass`."""
    return OFFERS[step.op](state, effect, step)


def most_times(state: TashKalarPosition, step: words.Step, effect: Effect) -> int:
    """Return the maximum number of repetitions of a step."""
    if step.most_of >= 0:
        return effect.counts[step.most_of]
    if effect.lock >= 0:
        return step.rank_lock[effect.lock]
    if step.by_rank:
        piece = effect.pieces[step.selector.places[0].number]
        return step.by_rank[state.rank_at(piece)] if piece >= 0 else 0
    return step.most


def _moves(state: TashKalarPosition, effect: Effect, step: words.MoveStep) -> list[int]:
    found: list[int] = []
    direction = effect.direction
    if step.same_as >= 0:
        direction = (effect.directions[step.same_as] + step.turned) % EIGHT
    goes_anywhere = direction < 0 and not (step.aims or step.near_own or step.closer)
    board, kind, within = state.board, step.kind, _within(state, effect, step)
    more = _more_ranks(effect, step)
    limits = [-1] * (RANKS_EACH + 1)
    reaches = [NOWHERE] * (RANKS_EACH + 1)
    for square in bits(_movers(state, effect, step)):
        rank = (board[square] - 1) % RANKS_EACH + more
        if kind == words.ONTO_EMPTY:
            rank = 0
        elif kind == words.BY_PIECE and square == effect.me:
            rank -= 1
        if IS_COMPILED and goes_anywhere:
            if reaches[rank] is NOWHERE:
                reaches[rank] = reach_in_words(_limit(state, step, within, rank - 1))
            reaches[rank].add_moves(square, found)
            continue
        if limits[rank] < 0:
            limits[rank] = _limit(state, step, within, rank - 1)
        reach = limits[rank]
        if not goes_anywhere:
            reach &= _reach(state, effect, step, square, direction)
            if reach and step.near_own:
                reach = _touching(state, square, reach)
            elif reach and step.closer:
                reach = _closer(state, step, square, reach)
        if reach:
            add_moves(square, reach, found)
    return found


def _reach(
    state: TashKalarPosition, effect: Effect, step: words.MoveStep, square: int, direction: int
) -> int:
    """Return the squares that a single move from this one may reach, whatever is on them."""
    if step.aims:
        return everfrost.squares_aimed_at(state, effect, step, square)
    if direction >= 0:
        to = STEPS[square][direction]
        return BIT[to] if to >= 0 else 0
    return ADJACENT[square]


def _limit(state: TashKalarPosition, step: words.MoveStep, within: int, rank: int) -> int:
    """Return the squares on which moves that capture up to this rank may end."""
    if step.kind == words.ONTO_LEGENDARY:
        return owned(state, words.ANY, 1 << LEGENDARY) & within
    if not step.capture_ranks & 1 << COMMON:
        within &= ~owned(state, words.ANY, 1 << COMMON)
    return state.up_to(rank) & within


def _within(state: TashKalarPosition, effect: Effect, step: words.MoveStep) -> int:
    """Return the squares to which moves are restricted."""
    kind = step.destination
    if not kind:
        return ALL
    if kind == words.DESTINATION_MARKED:
        return marks(state, effect)
    if kind == words.DESTINATION_SQUARE:
        return BIT[effect.squares[step.square_of]]
    if kind == words.DESTINATION_RING:
        return _ring(step.distance, effect.me) if effect.me >= 0 else 0
    return COLOURED


def _more_ranks(effect: Effect, step: words.MoveStep) -> int:
    """Return how many ranks, in addition to those below its own, a piece may capture now (6.2)."""
    kind = step.kind
    if kind == words.BUDGET_AND:
        return int(effect.captures < step.combat)
    if kind == words.BUDGET_OR:
        return int(effect.times == 0)
    return int(kind in (words.COMBAT, words.BY_PIECE))


def _movers(state: TashKalarPosition, effect: Effect, step: words.MoveStep) -> int:
    """Return the pieces that may make the next move."""
    if step.one_piece and effect.times:
        return BIT[effect.runner] if effect.runner >= 0 else 0
    found = select(state, effect, step.selector)
    if step.each_once:
        found = effect.pool
    if effect.lock >= 0:
        found &= owned(state, words.ANY, 1 << effect.lock)
    if step.kind == words.BY_PIECE:
        myself = BIT[effect.me] if effect.me >= 0 else 0
        found &= owned(state, words.ANY, step.used_ranks) | myself
    if step.third_needs_self and effect.times == _SECOND and not effect.moved_self:
        found &= BIT[effect.me] if effect.me >= 0 else 0
    if step.most_of_owner < words.UNLIMITED:
        found &= _not_spent(state, effect, step)
    return found


def _not_spent(state: TashKalarPosition, effect: Effect, step: words.MoveStep) -> int:
    """Return the pieces of each seat that may still move in this step."""
    found = 0
    if effect.own_moves < step.most_of_owner:
        found = state.own(state.active)
    if effect.times - effect.own_moves < step.most_of_owner:
        found |= state.own(1 - state.active)
    return found


def _touching(state: TashKalarPosition, square: int, reach: int) -> int:
    """Return the squares that are adjacent to an own piece other than the mover."""
    others = state.own(state.active) & ~BIT[square]
    return sum(BIT[to] for to in bits(reach) if ADJACENT[to] & others)


def _closer(state: TashKalarPosition, step: words.MoveStep, square: int, reach: int) -> int:
    """Return the squares that are closer to the Gateway, or finally next to it (18.2)."""
    gate = state.gateway
    if gate < 0:
        return 0
    if step.closer == words.CLOSER_BUT_BESIDE:
        reach &= ~BIT[gate]
    far = distance(square, gate)
    return sum(BIT[to] for to in bits(reach) if distance(to, gate) < far)


def _leaps(state: TashKalarPosition, effect: Effect, step: words.LeapStep) -> list[int]:
    if effect.picked >= 0:
        squares = _landings(state, effect, step, effect.picked)
        return [actions.LEAPS_TO[to] for to in bits(squares)]
    movers = select(state, effect, step.selector)
    if step.selector.places[0].kind != "self":
        return [actions.PICKS[at] for at in bits(movers) if _landings(state, effect, step, at)]
    if not movers:
        return []
    return [actions.LEAPS_TO[to] for to in bits(_landings(state, effect, step, effect.me))]


def _landings(state: TashKalarPosition, effect: Effect, step: words.LeapStep, square: int) -> int:
    rank = state.rank_at(square)
    squares = state.up_to(rank if step.kind == words.COMBAT else rank - 1) & ~BIT[square]
    if step.distance:
        squares &= _ring(step.distance, square)
    if step.square_of >= 0:
        squares &= BIT[effect.squares[step.square_of]]
    return squares


def _destructions(state: TashKalarPosition, effect: Effect, step: words.DestroyStep) -> list[int]:
    found = select(state, effect, step.selector)
    if step.stop_rank >= 0 and effect.times:
        found &= owned(state, words.ANY, step.next_ranks)
    return listed(found, actions.DESTROYS)


def _placements(state: TashKalarPosition, effect: Effect, step: words.PlaceStep) -> list[int]:
    condition = step.selector.owner_condition
    if condition and not is_outnumbered(state, condition):
        return []
    seat = state.active if step.selector.owner == words.OWN else 1 - state.active
    ranks = [step.rank] if step.rank >= 0 else list(range(len(RANKS)))
    squares = state.free() & at_places(state, effect, step.selector.places)
    found: list[int] = []
    for rank in ranks:
        if state.in_supply(seat, rank):
            add_bits(squares, actions.PLACES if step.rank >= 0 else actions.PLACES_OF[rank], found)
    return found


def _shots(state: TashKalarPosition, effect: Effect, step: words.ShotStep) -> list[int]:
    me = effect.me
    if me < 0:
        return []
    directions = _directions(state, effect, step)
    if step.least:
        return [actions.DIRS[direction] for direction in directions]
    return [
        actions.DIRS[direction]
        for direction in directions
        if squares_hit(state, step, me, direction)
    ]


def _directions(state: TashKalarPosition, effect: Effect, step: words.ShotStep) -> tuple[int, ...]:
    if step.same_as >= 0:
        return (effect.directions[step.same_as],)
    if step.diagonals:
        return tuple(range(1, EIGHT, 2))
    return PATTERNS[state.card].shapes[effect.shape].directions


def squares_hit(
    state: TashKalarPosition, step: words.ShotStep, square: int, direction: int
) -> int:
    """Return the pieces that a shot in this direction hits."""
    if not step.fan:
        return _hit_on(state, step, RAYS[square][direction])
    found = 0
    for turn in (-1, 0, 1):
        found |= _hit_on(state, step, RAYS[square][(direction + turn) % EIGHT])
    return found


def _hit_on(state: TashKalarPosition, step: words.ShotStep, ray: tuple[int, ...]) -> int:
    found = hits = 0
    for square in ray[: step.reach]:
        code = state.board[square]
        if not code:
            continue
        rank = (code - 1) % RANKS_EACH
        if step.blockers >> rank & 1:
            break
        if step.ranks >> rank & 1:
            found |= BIT[square]
            hits += 1
            if hits == step.hit:
                break
    return found


def _upgrades(state: TashKalarPosition, effect: Effect, step: words.Step) -> list[int]:
    return listed(select(state, effect, step.selector) & upgradable(state), actions.UPGRADES)


def _downgrades(state: TashKalarPosition, effect: Effect, step: words.Step) -> list[int]:
    return listed(select(state, effect, step.selector) & downgradable(state), actions.DOWNGRADES)


def _conversions(state: TashKalarPosition, effect: Effect, step: words.Step) -> list[int]:
    if state.two_sided(state.active) <= 0:
        return []
    return listed(select(state, effect, step.selector), actions.CONVERTS)


def _picks(state: TashKalarPosition, effect: Effect, step: words.Step) -> list[int]:
    return listed(select(state, effect, step.selector), actions.PICKS)


def _cards_to_take(state: TashKalarPosition, effect: Effect, step: words.Step) -> list[int]:
    return [actions.TAKES[card] for card in bits(state.discards[state.active])]


def _flares_to_throw(state: TashKalarPosition, effect: Effect, step: words.Step) -> list[int]:
    return [actions.OPTS[step.label]] if state.flare(state.active) >= 0 else []


def _on_each_square(state: TashKalarPosition, effect: Effect, step: words.Step) -> list[int]:
    """Return the possible action on each square: destroy, upgrade or place."""
    squares = at_places(state, effect, step.selector.places) & ~effect.chosen
    enemies = owned(state, words.ENEMY, 1 << COMMON | 1 << HEROIC)
    found = listed(squares & enemies, actions.DESTROYS)
    add_bits(squares & owned(state, words.OWN, 1 << COMMON), actions.UPGRADES, found)
    if state.two_sided(state.active) > 0:
        add_bits(squares & state.free(), actions.PLACES, found)
    return found


def _in_group(state: TashKalarPosition, effect: Effect, step: words.GroupStep) -> list[int]:
    squares = owned(state, words.ANY, step.ranks)
    if effect.chosen:
        squares &= spread(effect.chosen) & ~effect.chosen
    if step.downgrades:
        return listed(squares & downgradable(state), actions.DOWNGRADES)
    return listed(squares, actions.DESTROYS)


def _first_of_options(state: TashKalarPosition, effect: Effect, step: words.Step) -> list[int]:
    """Return the first actions of all non-empty options, or of all if every one is empty."""
    steps = PROGRAMS[effect.program].steps
    found: list[int] = []
    labels: list[int] = []
    for start in step.options:
        option = steps[start]
        if not option.is_automatic:
            found.extend(list_offers(state, effect, option))
            continue
        labels.append(actions.OPTS[option.label])
        if option.op != "destroy_all" or select(state, effect, option.selector):
            found.append(actions.OPTS[option.label])
    return found or labels


def _ring(distance: int, square: int) -> int:
    """Return the squares at exactly this distance."""
    return WITHIN[distance][square] & ~WITHIN[distance - 1][square]


# Any: each function has the kind of step that its operation has.
OFFERS: Final[dict[str, Callable[[TashKalarPosition, Effect, Any], list[int]]]] = {
    "moves": _moves,
    "leaps": _leaps,
    "destroy": _destructions,
    "upgrade": _upgrades,
    "downgrade": _downgrades,
    "convert": _conversions,
    "place": _placements,
    "shoot": _shots,
    "per_square": _on_each_square,
    "group": _in_group,
    "pick": _picks,
    "recover": _cards_to_take,
    "throw_flare": _flares_to_throw,
    "choose_one": _first_of_options,
    "freeze": everfrost.offer_cards,
    "mirror": everfrost.offer_reflections,
    "pick_square": etherweave.offer_squares,
    "swap": etherweave.offer_swaps,
    "lift": etherweave.offer_lifts,
    "leap_from_card": etherweave.offer_landings,
    "copy_warp": etherweave.offer_copies,
    "throw": etherweave.offer_throws,
    "take_back": etherweave.offer_taking_back,
}
