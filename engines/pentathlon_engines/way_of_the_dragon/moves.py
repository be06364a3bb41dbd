"""The moves of Way of the Dragon: what actions and chance do, turn by turn.

Sections in brackets are those of the rules page.
"""

from __future__ import annotations

from pentathlon_engines.contract.game import CHANCE, Outcome
from pentathlon_engines.errors import BadChance
from pentathlon_engines.way_of_the_dragon import chance
from pentathlon_engines.way_of_the_dragon.actions import (
    END,
    EQUILIBRIUM,
    EQUILIBRIUM_JUMP,
    EYE,
    FEAR,
    JUMP,
    KEEP,
    MOVE,
    PAIRS,
    PASS,
    PATHS,
    REBIRTH,
    STOP,
    SWAP,
    WILD,
)
from pentathlon_engines.way_of_the_dragon.board import (
    DEAD,
    DRAW,
    EXTRA,
    KEEPING,
    MOVING,
    OVER,
    ROLL,
    START,
    join_steps,
    step_of,
)
from pentathlon_engines.way_of_the_dragon.dice import COUNTS, DICE, NONE, REROLLS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pentathlon_engines.contract.compiler import i64
    from pentathlon_engines.way_of_the_dragon.state import WayOfTheDragonPosition


class WayOfTheDragonOutcome(Outcome):
    """How a match ended, with the pieces on numbers per seat, which break ties (5.3)."""

    __slots__ = ("numbered",)

    def __init__(
        self,
        ranks: tuple[int, ...],
        reason: str,
        scores: tuple[int, ...],
        *,
        numbered: tuple[int, ...],
    ) -> None:
        super().__init__(ranks, reason, scores)
        self.numbered = numbered

    def to_json(self) -> dict[str, Any]:
        """Return the field `result` of a position."""
        return {**super().to_json(), "numbered": list(self.numbered)}


def apply(state: WayOfTheDragonPosition, action: int) -> None:
    """Do an action of the seat to move, which is legal."""
    state.ply += 1
    state.last = (state.turn_of, action)
    phase = state.phase
    if phase == KEEPING:
        _keep(state, action)
    elif phase == MOVING:
        _move(state, action)
        swapped = SWAP <= action < EQUILIBRIUM
        # A swap may bring any seat's last piece onto a number, another move only the own one.
        race = is_race(state) if swapped else state.has_all_numbered(state.turn_of)
        _end_move(state, race=race)
    else:
        _choose_turn(state, action)


def _keep(state: WayOfTheDragonPosition, action: i64) -> None:
    """Stop rolling, or choose the dice that stay (4.1, 7.3)."""
    if action == STOP:
        state.rolls_left = 0
        state.phase = MOVING
        return
    if action < EYE:
        state.kept = action - KEEP
        state.rolls_left -= 1
    else:
        state.kept = action - EYE
        _use_power(state)
    state.phase = ROLL
    state.to_move = CHANCE


def _move(state: WayOfTheDragonPosition, action: i64) -> None:
    if action < JUMP:
        _advance(state, action - MOVE, COUNTS[state.dice][action - MOVE])
    elif action < WILD:
        _use_power(state)
        _advance(state, action - JUMP, COUNTS[state.dice][action - JUMP])
    elif action < SWAP:
        _use_power(state)
        _advance(state, (action - WILD) // DICE, (action - WILD) % DICE + 1)
    elif action < EQUILIBRIUM:
        _swap(state, (action - SWAP) // len(PAIRS), *PAIRS[(action - SWAP) % len(PAIRS)])
    elif action < PASS:
        _advance_all(state, jumping=action == EQUILIBRIUM_JUMP)
    else:
        state.moved = 0
        if action == FEAR:
            _use_power(state)


def _use_power(state: WayOfTheDragonPosition) -> None:
    state.used |= 1 << state.turn_of


def _advance_all(state: WayOfTheDragonPosition, *, jumping: bool) -> None:
    """Move all own pieces that can go one space, blocked ones if they may jump (4.6, 7.5)."""
    paths = state.can_advance()
    if jumping:
        _use_power(state)
        paths = sorted(paths + state.blocked())
    moved: i64 = 0
    for path in paths:
        _advance(state, path, 1)
        moved = join_steps(moved, state.moved)
    state.moved = moved


def _advance(state: WayOfTheDragonPosition, path: i64, spaces: i64) -> None:
    """Move the own piece of a path, over what is in the way (4.3, 7.5)."""
    index = state.turn_of * PATHS + path
    origin: i64 = state.positions[index]
    target = state.landing(path, spaces)
    state.positions[index] = target
    taken: i64 = state.taken[path]
    if origin:
        taken ^= 1 << origin
    state.taken[path] = taken | 1 << target
    state.moved = step_of(path, origin, target)


def _swap(state: WayOfTheDragonPosition, path: int, low: int, high: int) -> None:
    """Let two pieces of a path trade places (4.5)."""
    on_path = state.positions[path::PATHS]
    first, second = on_path.index(low), on_path.index(high)
    state.positions[first * PATHS + path] = high
    state.positions[second * PATHS + path] = low
    state.moved = join_steps(step_of(path, low, high), step_of(path, high, low))


def _end_move(state: WayOfTheDragonPosition, *, race: bool) -> None:
    """See whether the match is over; if not, go on to an extra turn or the next seat."""
    if race or state.turn >= state.cap:
        state.outcome = outcome_of(state, race=race)
        state.phase = OVER
        state.to_move = None
    elif state.asks_for_extra():
        state.phase = EXTRA
    else:
        _begin_turn(state, _next_seat(state))


def is_race(state: WayOfTheDragonPosition) -> bool:
    """Return whether some seat has all pieces on numbers (5.1)."""
    return any(state.has_all_numbered(seat) for seat in range(state.seats))


def outcome_of(state: WayOfTheDragonPosition, *, race: bool) -> WayOfTheDragonOutcome | None:
    """Return the outcome if the match ends after the last action, else None (5)."""
    if race:
        return rank_seats(state, "race")
    return rank_seats(state, "cap") if state.turn >= state.cap else None


def rank_seats(state: WayOfTheDragonPosition, reason: str) -> WayOfTheDragonOutcome:
    """Return points and ranks of this position (5.2, 5.3)."""
    scores: list[int] = []
    numbered: list[int] = []
    keys: list[int] = []
    for seat in range(state.seats):
        score, there = 0, 0
        for path in range(PATHS):
            points = state.board.points[path][state.positions[seat * PATHS + path]]
            score += points
            there += points > 0
        scores.append(score)
        numbered.append(there)
        keys.append(score * (PATHS + 1) + there)
    ranks = [0] * state.seats
    for seat, key in enumerate(keys):
        for other in keys:
            ranks[seat] = ranks[seat] + (other > key)
    return WayOfTheDragonOutcome(tuple(ranks), reason, tuple(scores), numbered=tuple(numbered))


def _next_seat(state: WayOfTheDragonPosition) -> i64:
    following = state.turn_of + 1
    return following if following < state.seats else 0


def _choose_turn(state: WayOfTheDragonPosition, action: int) -> None:
    """End the turn, or take another one (4.7, 7.2)."""
    if action == REBIRTH:
        _use_power(state)
    _begin_turn(state, _next_seat(state) if action == END else state.turn_of)


def _begin_turn(state: WayOfTheDragonPosition, seat: i64) -> None:
    state.turn += 1
    state.turn_of = seat
    state.kept = NONE
    state.rolls_left = REROLLS
    state.phase = ROLL
    state.to_move = CHANCE


def prepare(state: WayOfTheDragonPosition) -> None:
    """Go on to the next chance event before the first turn, or to that turn (3.7)."""
    if sum(mask.bit_count() for mask in state.dead) < state.options["dead"]:
        state.phase = DEAD
    elif state.options["start_seat"] == DRAW:
        state.phase = START
    else:
        _begin_turn(state, int(state.options["start_seat"]))


def apply_chance(state: WayOfTheDragonPosition, text: str) -> None:
    """Do what chance decided; raise `BadChance` if it cannot happen here."""
    found = chance.read(state, text)
    if found is None:
        raise BadChance(f"{text!r} cannot happen here; write {chance.grammar(state)}")
    if state.phase == ROLL:
        see_roll(state, found[0])
        return
    state.ply += 1
    if state.phase == START:
        _begin_turn(state, found[0])
    else:
        _place_dead(state, found[0], found[1])


def _place_dead(state: WayOfTheDragonPosition, path: int, at: int) -> None:
    state.taken[path] |= 1 << at
    state.dead = tuple(
        mask | 1 << at if index == path else mask for index, mask in enumerate(state.dead)
    )
    prepare(state)


def see_roll(state: WayOfTheDragonPosition, dice: i64) -> None:
    state.ply += 1
    state.dice = dice
    state.to_move = state.turn_of
    state.phase = KEEPING if state.rolls_left or state.asks_for_eye() else MOVING
