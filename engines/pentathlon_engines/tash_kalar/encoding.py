"""Positions of Tash-Kalar as counts. They contain past events only through their results."""

from __future__ import annotations

from pentathlon_engines.tash_kalar.actions import TASK_IDS
from pentathlon_engines.tash_kalar.board import DIRECTIONS, GRID, RULES, SQUARES, bits
from pentathlon_engines.tash_kalar.cards.catalogue import (
    EXPANSIONS,
    FIRST_LEGEND,
    FROST_SCHOOLS,
    FROZEN_CARDS,
    IDS,
    PROGRAMS,
    SCHOOL_CARDS,
    SCHOOLS,
    WARP_SCHOOLS,
)
from pentathlon_engines.tash_kalar.constants import (
    HIGH_FORM,
    MODES,
    PHASES,
    RANKS_EACH,
    RESOLVING,
    TWO_SIDED,
)
from pentathlon_engines.tash_kalar.etherweave import weaver
from pentathlon_engines.tash_kalar.hand import count_schooled
from pentathlon_engines.tash_kalar.serialization.fields import has_school, warp_of
from pentathlon_engines.tash_kalar.turns import score

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from pentathlon_engines.contract.compiler import i64
    from pentathlon_engines.tash_kalar.effect import Effect
    from pentathlon_engines.tash_kalar.state import TashKalarPosition

_GOAL: Final[int] = max(RULES["goal"].values())
_DECKS: Final[dict[str, int]] = RULES["deck_sizes"]
_LEGENDARY: Final[int] = RULES["supply"][MODES[0]]["legendary"]
_ACTIONS: Final = 4
_HAND: Final = 5
_DESTROYED: Final = 4
_STEPS: Final = 4
_TIMES: Final = 8

_AREA: Final[int] = len(SQUARES)
_TASKS: Final[int] = len(TASK_IDS)
_BEINGS: Final[int] = FIRST_LEGEND
_OTHERS: Final[int] = len(IDS) - FIRST_LEGEND
"""The number of legends and flares."""
_PIECE: Final = 2 + RANKS_EACH
"""The columns of a piece: owner and rank."""
_WAYS: Final[int] = len(DIRECTIONS)
_SCHOOLS: Final = {name: place for place, name in enumerate((*SCHOOLS, *EXPANSIONS))}
_FROZEN: Final = {card: place for place, card in enumerate(FROZEN_CARDS)}
_WARPERS: Final = [card for school in WARP_SCHOOLS for card in SCHOOL_CARDS[school]]
_WOVEN: Final = {card: place for place, card in enumerate(_WARPERS)}
_WEAVE: Final[int] = len(_WOVEN)
_PLACES: Final = bytes(SQUARES.index(at) if at in SQUARES else 0 for at in range(GRID))
"""By square, its place among those that exist."""

_PARTS: Final = (
    # Options, the seat to decide, and the turn.
    [1] * (len(MODES) + 2 * len(_SCHOOLS) + 4 + len(PHASES))
    + [RULES["turn_cap"], _ACTIONS, *[1] * 10, 2, 2]
    + [_DESTROYED] * RANKS_EACH
    + [1] * (_AREA + 2)
    + [RULES["final_turns"]],
    # The board.
    [1] * (6 * _AREA + len(_FROZEN)) + [max(TWO_SIDED), _LEGENDARY] * 2 + [_GOAL] * 2,
    # A pending card.
    [1] * (3 * _WEAVE + 6),
    # Cards.
    [1] * (4 * _BEINGS + 2 * _OTHERS)
    + [_HAND] * 6
    + [_DECKS["beings"]] * 4
    + [_DECKS["legends"]] * 2
    + [_DECKS["tasks"]],
    # Tasks.
    [1] * (5 * _TASKS),
    # The effect at hand.
    [1] * (len(IDS) + _STEPS) + [_TIMES] * 2 + [1] * (_WEAVE + _WAYS + RANKS_EACH + 2 + 7 * _AREA),
)
_MOST: Final[list[int]] = [count for part in _PARTS for count in part]
_BOARD: Final[int] = len(_PARTS[0])
_PENDING: Final[int] = _BOARD + len(_PARTS[1])
_CARDS: Final[int] = _PENDING + len(_PARTS[2])
_CURRENT: Final[int] = _CARDS + len(_PARTS[3])
_EFFECT: Final[int] = _CURRENT + len(_PARTS[4])
_SUMMON: Final[int] = _EFFECT + len(IDS) + _STEPS + 2 + _WEAVE + _WAYS + RANKS_EACH
_EMPTY: Final = bytearray(len(_MOST))


def _pieces(seat: int) -> list[bytearray]:
    """Return the columns of each piece by its number on the board, as a seat sees it."""
    shown = [bytearray(_PIECE)]
    for owner in range(2):
        for rank in range(RANKS_EACH):
            columns = bytearray(_PIECE)
            columns[owner ^ seat] = columns[2 + rank] = 1
            shown.append(columns)
    return shown


_PIECES: Final = (_pieces(0), _pieces(1))


def most(seats: int, options: dict[str, Any]) -> list[int]:
    """Return for each column the count that becomes 1."""
    return _MOST


def row(state: TashKalarPosition, seat: int) -> bytearray:
    """Return what a seat sees: turn, pieces, cards, tasks, the effect at hand."""
    found = _EMPTY[:]
    weaves = weaver(state)
    _add_turn(state, seat, found)
    _add_board(state, seat, found)
    if weaves >= 0:
        _add_pending(state, seat, weaves, found)
    _add_cards(state, seat, found)
    if state.mode == HIGH_FORM:
        _add_tasks(state, seat, found)
    if state.card >= 0:
        found[_EFFECT + state.card] = 1
    square = state.square
    effect = state.effect
    if effect is not None:
        _add_effect(state, effect, weaves, found)
        if square < 0:
            square = effect.summon
    if square >= 0:
        found[_SUMMON + _PLACES[square]] = 1
    return found


def _add_turn(state: TashKalarPosition, seat: int, found: bytearray) -> None:
    """Add modes and schools, the seat to decide and its phase, and the actions of this turn."""
    found[state.mode] = 1
    at: i64 = len(MODES)
    for other in (seat, 1 - seat):
        found[at + _SCHOOLS[state.schools[other]]] = 1
        at += len(_SCHOOLS)
    if state.to_move is not None:
        found[at + (state.to_move ^ seat)] = 1
    found[at + 2 + (state.active ^ seat)] = 1
    found[at + 4 + state.phase] = 1
    at += 4 + len(PHASES)
    flags = (
        state.doubled,
        state.extra_granted,
        state.possessed,
        state.directly,
        state.voids,
        state.war,
        state.discarded,
        state.extra_turn,
    )
    found[at] = state.turn
    found[at + 1] = state.actions_left
    at += 2
    for flag in flags:
        if flag:
            found[at] = 1
        at += 1
    if state.slowed >= 0:
        found[at + (state.slowed ^ seat)] = 1
    at += 2
    for count in (*state.extra_draws, *state.destroyed):
        found[at] = count
        at += 1
    for summoned in state.summoned:
        found[at + _PLACES[summoned % GRID]] = 1
    at += _AREA
    if state.trigger >= 0:
        found[at + (state.trigger_seat ^ seat)] = 1
        found[at + 2] = state.turns_left


def _add_board(state: TashKalarPosition, seat: int, found: bytearray) -> None:
    shown = _PIECES[seat]
    for square, code in enumerate(state.board):
        if code:
            first = _BOARD + _PIECE * _PLACES[square]
            found[first : first + _PIECE] = shown[code]
    at: i64 = _BOARD + _AREA * _PIECE
    if state.gateway >= 0:
        found[at + _PLACES[state.gateway]] = 1
    at += _AREA
    if state.frozen >= 0:
        found[at + _FROZEN[state.frozen]] = 1
    at += len(_FROZEN)
    for other in (seat, 1 - seat):
        found[at] = max(0, state.two_sided(other))
        found[at + 1] = max(0, state.legendaries(other))
        at += 2
    for other in (seat, 1 - seat):
        found[at] = min(_GOAL, max(0, score(state, other)))
        at += 1


def _add_pending(state: TashKalarPosition, seat: int, weaves: int, found: bytearray) -> None:
    """Add the Etherweave's features: a pending card, the last discard and the last warps."""
    at: i64 = _PENDING
    if state.pending:
        found[at + _WOVEN[state.pending.bit_length() - 1]] = 1
    at += _WEAVE
    if state.on_card:
        found[at : at + _PIECE] = _PIECES[seat][state.on_card]
    at += _PIECE
    card = state.latest
    if card >= 0:
        is_seen = seat == weaves or card in state.played[weaves]
        found[at + (_WOVEN[card] if is_seen else _WEAVE)] = 1
    at += _WEAVE + 1
    for card in bits(state.warped):
        found[at + _WOVEN[card]] = 1


def _add_cards(state: TashKalarPosition, seat: int, found: bytearray) -> None:
    """Add the cards that the seat knows, and the sizes of all hands and piles."""
    at: i64 = _CARDS
    for card in state.hands[seat]:
        found[at + card] = 1
    at += len(IDS)
    for card in bits(state.discards[seat]):
        found[at + card] = 1
    at += _BEINGS
    for other in (seat, 1 - seat):
        for card in state.played[other]:
            found[at + card] = 1
        at += _BEINGS
    at -= FIRST_LEGEND
    for card in state.legend_pile:
        found[at + card] = 1
    for card in state.flare_pile:
        found[at + card] = 1
    at += len(IDS)
    for other in (seat, 1 - seat):
        cards = state.hands[other]
        beings = count_schooled(cards)
        flares = 1 if state.flare(other) >= 0 else 0
        found[at] = beings
        found[at + 1] = len(cards) - beings - flares
        found[at + 2] = flares
        at += 3
    found[at] = len(state.decks[seat])
    found[at + 1] = len(state.decks[1 - seat])
    found[at + 2] = state.discards[seat].bit_count()
    found[at + 3] = state.discards[1 - seat].bit_count()
    found[at + 4] = len(state.legends)
    found[at + 5] = len(state.flares)
    found[at + 6] = len(state.tasks)


def _add_tasks(state: TashKalarPosition, seat: int, found: bytearray) -> None:
    at: i64 = _CURRENT
    for task in state.current:
        found[at + task] = 1
    at += _TASKS
    if state.next_task >= 0:
        found[at + state.next_task] = 1
    at += _TASKS
    for tasks in (state.claimed[seat], state.claimed[1 - seat], state.tasks[: state.under]):
        for task in tasks:
            found[at + task] = 1
        at += _TASKS


def _add_effect(state: TashKalarPosition, effect: Effect, weaves: int, found: bytearray) -> None:
    """Add the card being resolved, its step, and the squares that its effect remembers."""
    at: i64 = _EFFECT + len(IDS)
    if state.phase == RESOLVING:
        found[at + PROGRAMS[effect.program].steps[effect.at].shown] = 1
    at += _STEPS
    found[at] = effect.times
    if weaves >= 0:
        found[at + 1] = effect.own_moves
        card = warp_of(effect)
        if card >= 0:
            found[at + 2 + _WOVEN[card]] = 1
    at += 2 + _WEAVE
    if effect.direction >= 0:
        found[at + effect.direction] = 1
    at += _WAYS
    if effect.lock >= 0:
        found[at + effect.lock] = 1
    at = _SUMMON + _AREA
    if effect.onto and has_school(state, FROST_SCHOOLS):
        found[at + effect.onto - 1] = 1
    at += 2
    for square in (effect.me, effect.runner, effect.picked):
        if square >= 0:
            found[at + _PLACES[square]] = 1
        at += _AREA
    for squares in (effect.used, effect.pool, effect.chosen):
        for square in bits(squares):
            found[at + _PLACES[square]] = 1
        at += _AREA
