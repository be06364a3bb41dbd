"""Positions of Tash-Kalar as numbers. They contain past events only through their results."""

from __future__ import annotations

from pentathlon_engines.encoding.pieces import choices, marks, piece, shares
from pentathlon_engines.tash_kalar.actions import TASK_IDS
from pentathlon_engines.tash_kalar.board import DIRECTIONS, GRID, RULES, SQUARES, bits, mask
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
    from typing import Final

    from pentathlon_engines.contract.compiler import i64
    from pentathlon_engines.tash_kalar.effect import Effect
    from pentathlon_engines.tash_kalar.state import TashKalarPosition

_GOAL: Final[int] = max(RULES["goal"].values())
_LEGENDARY: Final[int] = RULES["supply"][MODES[0]]["legendary"]
_ACTIONS: Final = 4
_HAND: Final = 5
_DESTROYED: Final = 4
_STEPS: Final = 4
_TIMES: Final = 8

_AREA: Final[int] = len(SQUARES)
_TASKS: Final[int] = len(TASK_IDS)
_OTHERS: Final[int] = len(IDS) - FIRST_LEGEND
"""The number of legends and flares."""
_PIECE: Final = 2 + RANKS_EACH
_MOST: Final = 255
_PLACES: Final = bytes(SQUARES.index(at) if at in SQUARES else 0 for at in range(GRID))
"""By square, its place among those that exist."""
_FROZEN: Final = {card: place for place, card in enumerate(FROZEN_CARDS)}
_WARPERS: Final = [card for school in WARP_SCHOOLS for card in SCHOOL_CARDS[school]]
_FIRST_WARPER: Final[int] = _WARPERS[0]

_ONE_AFTER: Final = [piece([*[0] * zeros, 1]) for zeros in range(len(IDS) + 1)]
"""Some zeros and a 1 behind them."""
_ZEROS: Final = [piece([0] * zeros) for zeros in range(max(len(IDS), 3 * _AREA) + 1)]
_SEATS: Final = choices(2)
_MODES: Final = choices(len(MODES))
_SCHOOL: Final = dict(
    zip((*SCHOOLS, *EXPANSIONS), choices(len(SCHOOLS) + len(EXPANSIONS)), strict=False)
)
_PHASES: Final = choices(len(PHASES))
_TURNS: Final = shares(RULES["turn_cap"])
_LEFT: Final = shares(_ACTIONS, up_to=99)
_FLAG: Final = marks(1)
_DRAWS: Final = shares(2, up_to=31)
_LOST: Final = shares(_DESTROYED, up_to=_MOST)
_FINAL: Final = shares(RULES["final_turns"])
_PIECES: Final = [
    [_ZEROS[_PIECE]]
    + [
        _SEATS[owner ^ seat] + choices(RANKS_EACH)[rank]
        for owner in range(2)
        for rank in range(RANKS_EACH)
    ]
    for seat in range(2)
]
"""By seat that looks, pieces by their number on the board."""
_NO_PIECES: Final = [_ZEROS[_PIECE]] * _AREA
_SQUARES: Final = choices(_AREA)
_FROZEN_CARD: Final = choices(len(FROZEN_CARDS))
_COMMON: Final = shares(max(TWO_SIDED))
_LEGENDS_LEFT: Final = shares(_LEGENDARY)
_SCORES: Final = shares(_GOAL)
_WARP: Final = choices(len(_WARPERS))
_NO_WARP: Final = _WARP[-1]
_LATEST: Final = choices(len(_WARPERS) + 1)
_HELD: Final = shares(_HAND, up_to=31)
_BEINGS: Final = shares(RULES["deck_sizes"]["beings"], up_to=_MOST)
_SHARED: Final = shares(RULES["deck_sizes"]["legends"], up_to=_MOST)
_TASKS_LEFT: Final = shares(RULES["deck_sizes"]["tasks"], up_to=_MOST)
_TASK: Final = choices(_TASKS)
_CARD: Final = choices(len(IDS))
_STEP: Final = choices(_STEPS)
_COUNT: Final = shares(_TIMES, up_to=_MOST)
_DIRECTION: Final = choices(len(DIRECTIONS))
_RANK: Final = choices(RANKS_EACH)
_ONTO: Final = choices(2)
_NO_EFFECT: Final = [
    _STEP[-1] + _COUNT[0] * 2 + _NO_WARP + _DIRECTION[-1] + _RANK[-1],
    _ONTO[-1] + _ZEROS[3 * _AREA] * 2,
]
"""What is before and behind the summon square where there is no effect."""


def size(seats: int) -> int:
    """Return how many numbers there are."""
    weaves = len(_WARPERS)
    turn = len(MODES) + 2 * len(_SCHOOL) + 4 + len(PHASES) + 14 + RANKS_EACH + _AREA + 3
    board = (_PIECE + 1) * _AREA + len(FROZEN_CARDS) + 6 + 3 * weaves + _PIECE + 1
    cards = 4 * FIRST_LEGEND + 2 * _OTHERS + 13 + 5 * _TASKS
    effect = len(IDS) + _STEPS + 2 + weaves + len(DIRECTIONS) + RANKS_EACH + 2 + 7 * _AREA
    return turn + board + cards + effect


def encode(state: TashKalarPosition, seat: int, pieces: list[bytes]) -> None:
    """Add what a seat sees: turn, pieces, cards, tasks, the effect at hand."""
    weaves = weaver(state)
    _add_turn(state, seat, pieces)
    _add_board(state, seat, pieces)
    _add_pending(state, seat, weaves, pieces)
    _add_cards(state, seat, pieces)
    _add_tasks(state, seat, pieces)
    pieces.append(_CARD[state.card])
    square, effect = state.square, state.effect
    if effect is None:
        pieces += (
            _NO_EFFECT[0],
            _SQUARES[-1 if square < 0 else _PLACES[square]],
            _NO_EFFECT[1],
        )
    else:
        _add_effect(state, effect, weaves, pieces)


def _add_marks(members: list[int], n: int, pieces: list[bytes]) -> None:
    """Add a number for each of `n` things, 1 for those in an ascending list."""
    at: i64 = 0
    member: i64
    for member in members:
        pieces.append(_ONE_AFTER[member - at])
        at = member + 1
    pieces.append(_ZEROS[n - at])


def _add_squares(squares: int, pieces: list[bytes]) -> None:
    if squares:
        _add_marks([_PLACES[square] for square in bits(squares)], _AREA, pieces)
    else:
        pieces.append(_ZEROS[_AREA])


def _add_turn(state: TashKalarPosition, seat: int, pieces: list[bytes]) -> None:
    """Add modes and schools, the seat to decide and its phase, and the actions of this turn."""
    slowed = state.slowed
    pieces += (
        _MODES[state.mode],
        _SCHOOL[state.schools[seat]],
        _SCHOOL[state.schools[1 - seat]],
        _SEATS[-1 if state.to_move is None else state.to_move ^ seat],
        _SEATS[state.active ^ seat],
        _PHASES[state.phase],
        _TURNS[state.turn],
        _LEFT[state.actions_left],
        _FLAG[1 if state.doubled else 0],
        _FLAG[1 if state.extra_granted else 0],
        _FLAG[1 if state.possessed else 0],
        _FLAG[1 if state.directly else 0],
        _FLAG[1 if state.voids else 0],
        _FLAG[1 if state.war else 0],
        _FLAG[1 if state.discarded else 0],
        _FLAG[1 if state.extra_turn else 0],
        _SEATS[-1 if slowed < 0 else slowed ^ seat],
    )
    pieces += [_DRAWS[count] for count in state.extra_draws]
    pieces += [_LOST[count] for count in state.destroyed]
    _add_squares(mask([summoned % GRID for summoned in state.summoned]), pieces)
    if state.trigger < 0:
        pieces.append(_ZEROS[3])
    else:
        pieces.append(_SEATS[state.trigger_seat ^ seat])
        pieces.append(_FINAL[state.turns_left])


def _add_board(state: TashKalarPosition, seat: int, pieces: list[bytes]) -> None:
    shown, first = _PIECES[seat], len(pieces)
    pieces += _NO_PIECES
    for square, code in enumerate(state.board):
        if code:
            pieces[first + _PLACES[square]] = shown[code]
    gateway = state.gateway
    pieces.append(_SQUARES[-1 if gateway < 0 else _PLACES[gateway]])
    pieces.append(_FROZEN_CARD[-1 if state.frozen < 0 else _FROZEN[state.frozen]])
    for other in (seat, 1 - seat):
        pieces.append(_COMMON[max(0, state.two_sided(other))])
        pieces.append(_LEGENDS_LEFT[max(0, state.legendaries(other))])
    for other in (seat, 1 - seat):
        pieces.append(_SCORES[min(_GOAL, max(0, score(state, other)))])


def _add_pending(state: TashKalarPosition, seat: int, weaves: int, pieces: list[bytes]) -> None:
    """Add the Etherweave's features: a pending card, the last discard and the last warps."""
    if weaves < 0:
        pieces.append(_NO_PENDING)
        return
    latest = state.latest
    pending = state.pending.bit_length() - 1
    pieces.append(_WARP[-1 if pending < 0 else pending - _FIRST_WARPER])
    pieces.append(_PIECES[seat][state.on_card])
    if latest < 0:
        pieces.append(_LATEST[-1])
    elif seat == weaves or latest in state.played[weaves]:
        pieces.append(_LATEST[latest - _FIRST_WARPER])
    else:
        pieces.append(_LATEST[-2])
    _add_marks(bits(state.warped >> _FIRST_WARPER), len(_WARPERS), pieces)


_NO_PENDING: Final = _WARP[-1] * 2 + _LATEST[-1] + _ZEROS[_PIECE]


def _add_cards(state: TashKalarPosition, seat: int, pieces: list[bytes]) -> None:
    """Add the cards that the seat knows, and the sizes of all hands and piles."""
    other = 1 - seat
    _add_marks(state.hands[seat], len(IDS), pieces)
    _add_marks(bits(state.discards[seat]), FIRST_LEGEND, pieces)
    _add_marks(sorted(state.played[seat]), FIRST_LEGEND, pieces)
    _add_marks(sorted(state.played[other]), FIRST_LEGEND, pieces)
    shared = mask(state.legend_pile) | mask(state.flare_pile)
    _add_marks(bits(shared >> FIRST_LEGEND), _OTHERS, pieces)
    for holder in (seat, other):
        cards = state.hands[holder]
        beings = count_schooled(cards)
        flares = 0 if state.flare(holder) < 0 else 1
        pieces += (
            _HELD[beings],
            _HELD[len(cards) - beings - flares],
            _HELD[flares],
        )
    pieces += (
        _BEINGS[len(state.decks[seat])],
        _BEINGS[len(state.decks[other])],
        _BEINGS[state.discards[seat].bit_count()],
        _BEINGS[state.discards[other].bit_count()],
        _SHARED[len(state.legends)],
        _SHARED[len(state.flares)],
        _TASKS_LEFT[len(state.tasks)],
    )


def _add_tasks(state: TashKalarPosition, seat: int, pieces: list[bytes]) -> None:
    if state.mode != HIGH_FORM:
        pieces.append(_ZEROS[5 * _TASKS])
        return
    _add_marks(state.current, _TASKS, pieces)
    pieces.append(_TASK[state.next_task])
    _add_marks(sorted(state.claimed[seat]), _TASKS, pieces)
    _add_marks(sorted(state.claimed[1 - seat]), _TASKS, pieces)
    _add_marks(sorted(state.tasks[: state.under]), _TASKS, pieces)


def _add_effect(
    state: TashKalarPosition, effect: Effect, weaves: int, pieces: list[bytes]
) -> None:
    """Add the card being resolved, its step, and the squares that its effect remembers."""
    shown = -1
    if state.phase == RESOLVING:
        shown = PROGRAMS[effect.program].steps[effect.at].shown
    warp = -1 if weaves < 0 else warp_of(effect)
    pieces += (
        _STEP[shown],
        _COUNT[effect.times],
        _COUNT[effect.own_moves if weaves >= 0 else 0],
        _WARP[-1 if warp < 0 else warp - _FIRST_WARPER],
        _DIRECTION[effect.direction],
        _RANK[effect.lock],
    )
    square = effect.summon if state.square < 0 else state.square
    pieces.append(_SQUARES[-1 if square < 0 else _PLACES[square]])
    onto = effect.onto if has_school(state, FROST_SCHOOLS) else 0
    pieces.append(_ONTO[onto - 1])
    places = (effect.me, effect.runner, effect.picked)
    pieces += [_SQUARES[-1 if place < 0 else _PLACES[place]] for place in places]
    for squares in (effect.used, effect.pool, effect.chosen):
        _add_squares(squares, pieces)
