"""How a turn of Tash-Kalar ends, and the match with it (5.7, 11, 12)."""

from __future__ import annotations

from pentathlon_engines.contract.game import CHANCE, Outcome
from pentathlon_engines.tash_kalar import events, tasks
from pentathlon_engines.tash_kalar.board import RULES, mask
from pentathlon_engines.tash_kalar.cards.patterns import LEGENDARY
from pentathlon_engines.tash_kalar.constants import (
    BY_CAP,
    BY_DECK,
    BY_POINTS,
    DEATHMATCH,
    HAND_BEINGS,
    HAND_LEGENDS,
    HIGH_FORM,
    MAIN,
    MODES,
    OVER,
    PENDING_POINTS,
    RANKS_EACH,
    REASONS,
    SHUFFLING,
    TURN_ACTIONS,
)
from pentathlon_engines.tash_kalar.hand import count_schooled
from pentathlon_engines.tash_kalar.state import TashKalarPosition

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

GOALS: Final[tuple[int, ...]] = tuple(RULES["goal"][mode] for mode in MODES)
FINAL_TURNS: Final[int] = RULES["final_turns"]
TURN_CAP: Final[int] = RULES["turn_cap"]


def claim(state: TashKalarPosition, task: int) -> None:
    """Score a task and fill the row (11.2)."""
    state.points[state.active] += tasks.POINTS[task]
    state.claimed[state.active].append(task)
    left = [other for other in state.current if other != task]
    if state.next_task >= 0:
        left.append(state.next_task)
    state.current = sorted(left)
    turn_up(state)


def turn_up(state: TashKalarPosition) -> None:
    """Turn up the next task; those that do not fit go under the deck (4.2, 11.2)."""
    state.next_task = -1
    for _ in range(len(state.tasks)):
        if state.next_task >= 0:
            state.tasks.insert(0, state.next_task)
            state.under += 1
        state.next_task = state.tasks.pop()
        state.under = min(state.under, len(state.tasks))
        if tasks.is_mixed([*state.current, state.next_task]):
            return


def end_turn(state: TashKalarPosition) -> None:
    """Score the destroyed pieces, then draw cards (5.7)."""
    seat = state.active
    if state.mode == DEATHMATCH:
        commons, heroics, legendaries = state.destroyed
        state.points[seat] += 2 * legendaries + heroics + commons // 2
    held = state.held[seat]
    beings, legends = state.extra_draws
    if held is not None and held.is_full and not beings and not legends:
        _close_turn(state)
        return
    schooled = count_schooled(state.hands[seat])
    flares = int(state.flare(seat) >= 0)
    lacking = HAND_LEGENDS - (len(state.hands[seat]) - schooled - flares)
    _draw_beings(state, HAND_BEINGS - schooled)
    state.owed = [max(0, lacking), 1 - flares, legends]
    draw_on(state)


def _draw_beings(state: TashKalarPosition, most: int) -> None:
    """Draw this many beings, or as many as there are; none if the number is below one."""
    deck = state.decks[state.active]
    if most <= 0:
        return
    for _ in range(min(len(deck), most)):
        state.gain(state.active, deck.pop())
        state.drawn[0] += 1


def draw_on(state: TashKalarPosition) -> None:
    """Draw the remaining cards, unless a shared deck must be reshuffled first (3.5).

    Cards granted beyond the limits come last (5.7).
    """
    owed, drawn = state.owed, state.drawn
    if not (owed[0] or owed[1] or owed[2]) or (  # compiled, `any` costs ten times as much
        _draws_all(state, 0, 0) and _draws_all(state, 1, 1) and _draws_all(state, 2, 0)
    ):
        _draw_beings(state, state.extra_draws[0])
        if drawn[0] or drawn[1] or drawn[2]:
            state.log.append(events.draw(state.active, drawn))
            state.drawn = [0, 0, 0]
        _close_turn(state)


def _draws_all(state: TashKalarPosition, part: int, kind: int) -> bool:
    """Draw legends or flares; return whether no new deck was needed."""
    deck, pile = (state.flares, state.flare_pile) if kind else (state.legends, state.legend_pile)
    while state.owed[part]:
        if not deck:
            if pile:
                return _await_shuffle(state, kind)
            state.owed[part] = 0
            break
        state.gain(state.active, deck.pop())
        state.owed[part] -= 1
        state.drawn[1 + kind] += 1
        if not deck and pile:
            return _await_shuffle(state, kind)
    return True


def _await_shuffle(state: TashKalarPosition, kind: int) -> bool:
    state.new_deck = kind
    state.phase = SHUFFLING
    state.to_move = CHANCE
    return False


def _close_turn(state: TashKalarPosition) -> None:
    """Test for the end of the match, then let the next seat begin (12)."""
    seat = state.active
    if state.trigger >= 0 and not state.extra_turn:
        state.turns_left -= 1
    elif state.trigger < 0:
        _look_for_trigger(state, seat)
    extra = state.extra_granted
    if state.trigger >= 0 and state.turns_left == 0 and not extra:
        _end_match(state, state.trigger)
    elif state.turn >= TURN_CAP:
        _end_match(state, BY_CAP)
    else:
        _begin_turn(state, seat if extra else 1 - seat, extra=extra)


def _look_for_trigger(state: TashKalarPosition, seat: int) -> None:
    """Start the final turns if a deck is empty or a seat has enough points (12.1)."""
    goal, points, stock = GOALS[state.mode], state.points, state.stock
    # No score is higher than this bound, which is far from the goal at the end of most turns.
    most = max(points[0] + stock[2], points[1] + stock[3])
    if most >= goal and max(score(state, 0), score(state, 1)) >= goal:
        state.trigger = BY_POINTS
    elif not state.decks[seat]:
        state.trigger = BY_DECK
    else:
        return
    state.trigger_seat = seat
    state.turns_left = FINAL_TURNS


def _begin_turn(state: TashKalarPosition, seat: int, *, extra: bool) -> None:
    state.turn += 1
    state.active = state.to_move = seat
    state.phase = MAIN
    state.actions_left = TURN_ACTIONS
    if state.slowed == seat:
        state.actions_left -= 1
        state.slowed = -1
    clear_turn(state)
    state.extra_turn = extra


def clear_turn(state: TashKalarPosition) -> None:
    """Reset counters and permissions of a turn."""
    state.discarded = state.war = state.possessed = state.directly = False
    state.voids = state.doubled = False
    state.extra_granted = state.extra_turn = False
    # Most turns leave these lists unchanged, and making and freeing new ones costs time.
    draws, destroyed = state.extra_draws, state.destroyed
    if draws[0] or draws[1]:
        state.extra_draws = [0, 0]
    if destroyed[0] or destroyed[1] or destroyed[2]:
        state.destroyed = [0] * RANKS_EACH
    if state.summoned:
        state.summoned = []
    state.raised = state.warped = 0


def _end_match(state: TashKalarPosition, reason: int) -> None:
    clear_turn(state)
    state.outcome = ending(state, reason)
    state.to_move = None
    state.phase = OVER


def score(state: TashKalarPosition, seat: int) -> int:
    """Return the points of a seat at this moment (10.3, 10.4, 18.3.2)."""
    points = state.points[seat]
    if state.mode == HIGH_FORM:
        points += state.count_rank(seat, LEGENDARY)
    if state.pending and state.pending & mask(state.hands[seat]):
        points -= PENDING_POINTS
    return points


def ending(state: TashKalarPosition, reason: int) -> Outcome:
    """Compare points, upgraded pieces and pieces (12.4)."""
    keys = [(score(state, seat), state.count_upgraded(seat), state.count(seat)) for seat in (0, 1)]
    scores = (keys[0][0], keys[1][0])
    if keys[0] == keys[1]:
        return Outcome((0, 0), REASONS[reason], scores)
    return Outcome((0, 1) if keys[0] > keys[1] else (1, 0), REASONS[reason], scores)
