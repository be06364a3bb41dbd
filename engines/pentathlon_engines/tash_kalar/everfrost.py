"""Effects of the Everfrost: a card in play, its thaw, reflections and losses (18.1)."""

from __future__ import annotations

from pentathlon_engines.tash_kalar import actions
from pentathlon_engines.tash_kalar.board import BIT, EIGHT, STEPS, bits
from pentathlon_engines.tash_kalar.cards.catalogue import (
    FROST_SCHOOLS,
    FROZEN_CARDS,
    PATTERNS,
    PROGRAMS,
)
from pentathlon_engines.tash_kalar.cards.patterns import COMMON
from pentathlon_engines.tash_kalar.cards.program import ANY, FreezeStep, MoveStep, Step, WarStep
from pentathlon_engines.tash_kalar.constants import RANKS_EACH
from pentathlon_engines.tash_kalar.effect import Effect
from pentathlon_engines.tash_kalar.selection import marks, owned, select
from pentathlon_engines.tash_kalar.state import TashKalarPosition
from pentathlon_engines.tash_kalar.summoning import find_summons


def can_thaw(state: TashKalarPosition) -> bool:
    """Return whether the active seat may thaw its card in play now."""
    if state.schools[state.active] not in FROST_SCHOOLS:
        return False
    program = PROGRAMS[state.frozen]
    step = program.steps[program.free]
    return not (isinstance(step, WarStep) and step.directly) or _can_summon_by_war(state)


def _can_summon_by_war(state: TashKalarPosition) -> bool:
    """Return whether a summoning in which an enemy piece may serve is legal (18.1.5)."""
    if state.actions_left <= 0:
        return False
    war = state.war
    state.war = True
    can = bool(find_summons(state))
    state.war = war
    return can


def picks_frozen(state: TashKalarPosition) -> bool:
    """Return whether a card of the discard pile is being chosen to enter play."""
    effect = state.effect
    if effect is None:
        return False
    step = PROGRAMS[effect.program].steps[effect.at]
    return isinstance(step, FreezeStep) and step.from_discard


def offer_cards(state: TashKalarPosition, effect: Effect, step: FreezeStep) -> list[int]:
    """Return the cards that may enter play now."""
    if step.from_discard:
        pile = state.discards[state.active]
        return [actions.KEEPS[card] for card in FROZEN_CARDS if pile >> card & 1]
    found = [actions.KEEPS[state.card]]
    if state.frozen >= 0:
        found.append(actions.KEEPS[state.frozen])
    return found


def freeze(state: TashKalarPosition, effect: Effect, step: FreezeStep, action: int) -> bool:
    """Put a card into play; if another one was in play, discard that one."""
    effect.times += 1
    card = actions.CARD_OF[action]
    if card == state.frozen:
        return False
    if state.frozen >= 0:
        state.discard_openly(state.frozen)
    if state.discards[state.active] >> card & 1:
        state.discards[state.active] &= ~(1 << card)
        state.forget_played(card)
    state.frozen = card
    return False


def offer_reflections(state: TashKalarPosition, effect: Effect, step: Step) -> list[int]:
    """Return the picks of pieces on marked squares that can be reflected."""
    if state.two_sided(state.active) <= 0:
        return []
    ranks = 0
    for rank, most in enumerate(step.rank_lock):
        if most and effect.lock in (-1, rank):
            ranks |= 1 << rank
    pieces, empty = marks(state, effect) & owned(state, ANY, ranks), state.free()
    return [actions.PICKS[at] for at in bits(pieces) if empty & _reflection(state, effect, at)]


def _reflection(state: TashKalarPosition, effect: Effect, square: int) -> int:
    """Return the square beyond the line of the pattern's pieces, as a mask."""
    to = PATTERNS[state.card].shapes[effect.shape].reflected(effect.summon, square)
    return BIT[to] if to >= 0 else 0


def reflect(state: TashKalarPosition, effect: Effect, step: Step, action: int) -> bool:
    """Place a piece like the picked one on its reflection."""
    effect.times += 1
    square = actions.SQUARE_OF[action]
    effect.chosen |= BIT[square]
    rank = effect.lock = state.rank_at(square)
    for to in bits(_reflection(state, effect, square)):
        state.put(to, state.active, rank)
    effect.record(step.slot, square)
    return False


def squares_aimed_at(state: TashKalarPosition, effect: Effect, step: MoveStep, square: int) -> int:
    """Return the targets of a move that starts in an indicated direction."""
    if effect.times == 0:
        directions = PATTERNS[state.card].shapes[effect.shape].directions
    elif step.veers:
        directions = tuple((effect.direction + turn) % EIGHT for turn in (-1, 0, 1))
    else:
        directions = (effect.direction,)
    found = 0
    for direction in directions:
        to = STEPS[square][direction]
        if to >= 0:
            found |= BIT[to]
    return found


def change_side(state: TashKalarPosition, effect: Effect, step: Step) -> None:
    """Turn own pieces into enemy commons, as far as the enemy's supply lasts."""
    enemy = 1 - state.active
    for square in bits(select(state, effect, step.selector)):
        if state.two_sided(enemy) > 0:
            state.remove(square)
            state.put(square, enemy, COMMON)


def slow_enemy(state: TashKalarPosition, effect: Effect, step: Step) -> None:
    """Take an action from the next turn of the enemy."""
    state.slowed = 1 - state.active


def take_out(state: TashKalarPosition, square: int) -> None:
    """Make a piece that is being destroyed leave the game and count twice."""
    owner, rank = divmod(state.board[square] - 1, RANKS_EACH)
    if owner != state.active:
        state.destroyed[rank] += 1
    state.set_aside(state.board[square], 1)
