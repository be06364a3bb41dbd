"""Positions of Way of the Dragon as JSON, as on its rules page (10), and back.

Fields that only the engine needs may be missing in a position that is read: `turn_of`, `kept`,
`last`, `moved`, `ply`.
"""

from __future__ import annotations

from pentathlon_engines.contract import kinds, position
from pentathlon_engines.contract.game import CHANCE
from pentathlon_engines.contract.kinds import Integer, ListOf, OneOf, checked_integer, refuse
from pentathlon_engines.contract.position import Field
from pentathlon_engines.way_of_the_dragon import board, moves
from pentathlon_engines.way_of_the_dragon.actions import ELEMENTS, GRAMMAR, PATHS, TEXTS
from pentathlon_engines.way_of_the_dragon.board import (
    COLOURS,
    DEAD,
    EXTRA,
    KEEPING,
    NOBODY,
    OVER,
    PHASES,
    ROLL,
    START,
    join_steps,
    step_of,
)
from pentathlon_engines.way_of_the_dragon.dice import ALL, NONE, REROLLS, WORDS, is_part

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from pentathlon_engines.way_of_the_dragon.state import WayOfTheDragonPosition


def pieces(state: WayOfTheDragonPosition, seat: int) -> dict[str, int | None]:
    """Return where the pieces of a seat stand; None is off the board."""
    first = seat * PATHS
    mine = state.positions[first : first + PATHS]
    return {element: at or None for element, at in zip(ELEMENTS, mine, strict=True)}


def dead_pieces(state: WayOfTheDragonPosition) -> dict[str, list[int]]:
    """Return where dead pieces stand, on the paths that have any."""
    return {
        element: [at for at in range(mask.bit_length()) if mask >> at & 1]
        for element, mask in zip(ELEMENTS, state.dead, strict=True)
        if mask
    }


def last_action(state: WayOfTheDragonPosition) -> dict[str, int | str] | None:
    """Return who acted last and how."""
    seat, action = state.last
    return None if seat == NOBODY else {"seat": seat, "action": TEXTS[action]}


_ELEMENT: Final = OneOf(ELEMENTS, what=f"an element: {', '.join(ELEMENTS)}")
_DICE: Final = OneOf(WORDS, what="at most five letters in the order of the dice")
_SEATED: Final = Integer(0, len(COLOURS) - 1)
_PLACE: Final = Integer(1)
_PLAIN: Final = ListOf(Integer(board.LEAST_PLAIN, board.MOST_PLAIN), PATHS)
_TABLE: Final = position.Fields(
    position.GAME,
    Field("players", get="seats"),
    Field("colors", get=lambda state: [COLOURS[colour] for colour in state.colours]),
    position.OPTIONS,
    Field("plain_spaces", get=lambda state: list(state.board.plain)),
    Field("turn", Integer(0), is_required=True),
    Field("turn_of", _SEATED, lambda state: None if state.turn_of == NOBODY else state.turn_of),
    position.TO_MOVE,
    Field("phase", OneOf(PHASES), is_required=True),
    Field("dice", _DICE),
    Field("kept", _DICE),
    Field("rolls_left", Integer(0, REROLLS)),
    Field(
        "positions",
        ListOf(kinds.Object(**dict.fromkeys(ELEMENTS, kinds.Optional(_PLACE))), most=len(COLOURS)),
        lambda state: [pieces(state, seat) for seat in range(state.seats)],
    ),
    Field(
        "dead",
        kinds.MapOf(ELEMENTS, ListOf(_PLACE, most=board.MOST_DEAD_PER_PATH), what="an element"),
        dead_pieces,
    ),
    Field(
        "power_used",
        ListOf(kinds.Flag(), most=len(COLOURS)),
        lambda state: [bool(state.used >> seat & 1) for seat in range(state.seats)],
        is_required=True,
    ),
    Field("last", kinds.Object(seat=_SEATED, action=OneOf(TEXTS, what=GRAMMAR)), last_action),
    Field(
        "moved",
        ListOf(kinds.Kind(), most=PATHS),
        lambda state: [[ELEMENTS[step[0]], *step[1:]] for step in board.steps_in(state.moved)],
    ),
    Field("ply", Integer(0)),
    position.RESULT,
)


def describe(state: WayOfTheDragonPosition) -> dict[str, Any]:
    """Return a position as a JSON object."""
    return _TABLE.write(state)


def seats(data: dict[str, Any], allowed: tuple[int, int]) -> int:
    """Return the number of seats: one for each item of `positions`."""
    positions = data.get("positions")
    low, high = allowed
    if not isinstance(positions, list) or not low <= len(positions) <= high:
        refuse("positions", f"must be a list with {low} to {high} seats, not {positions!r}")
    return len(positions)


def plain_spaces(data: dict[str, Any]) -> tuple[int, ...]:
    """Return the number of plain spaces of each path."""
    if data.get("plain_spaces") is None:
        return board.USUAL_PLAIN
    return tuple(_PLAIN.read("plain_spaces", data["plain_spaces"]))


def read(state: WayOfTheDragonPosition, data: dict[str, Any]) -> None:
    """Turn a fresh state into the position of `data`, or raise `BadPosition`."""
    values = _TABLE.read(state, data)
    is_drawn = state.phase <= ROLL
    decides = "null" if state.phase == OVER else "-1" if is_drawn else "a seat"
    position.read_mover(state, data, phase=PHASES[state.phase], decides=decides)
    _read_pieces(state, values)
    _read_turn(state, values["turn_of"])
    for seat, is_used in enumerate(values["power_used"]):
        if is_used and not state.options["powers"]:
            refuse(f"power_used[{seat}]", "must be false without powers")
        state.used |= is_used << seat
    if state.dice != NONE and state.dice < ALL:
        refuse("dice", "must be five dice, or none before the first roll")
    if state.kept != NONE and (state.kept >= ALL or not is_part(state.kept, state.dice)):
        refuse("kept", "must be some of the dice, but not all of them")
    if values["last"] is not None:
        state.last = (values["last"]["seat"], values["last"]["action"])
        Integer(0, state.seats - 1).read("last.seat", state.last[0])
    for index, value in enumerate(values["moved"] or ()):
        state.moved = join_steps(state.moved, _moved(state, f"moved[{index}]", value))
    checked_integer("ply", state.ply, low=0, high=state.game.info.longest)
    _check_phase(state)
    if state.phase == OVER:
        state.outcome = moves.outcome_of(state, race=moves.is_race(state))
        if state.outcome is None:
            refuse("phase", "must not be 'over': no seat has all pieces on numbers before the cap")
    position.check_written(state, data, typed=_TABLE.typed)


def _read_pieces(state: WayOfTheDragonPosition, values: dict[str, Any]) -> None:
    masks = [0] * PATHS
    for path, places in (values["dead"] or {}).items():
        for at in places:
            checked_integer(f"dead.{ELEMENTS[path]}", at, low=1, high=state.board.plain[path])
            masks[path] |= 1 << at
    state.dead = tuple(masks)
    state.taken = masks
    for seat, places in enumerate(values["positions"]):
        for path, element in enumerate(ELEMENTS):
            place, field = places[element], f"positions[{seat}].{element}"
            if place < 0:
                continue
            checked_integer(field, place, low=1, high=state.board.last[path])
            if state.taken[path] >> place & 1:
                refuse(field, f"there is something else on {place}")
            state.positions[seat * PATHS + path] = place
            state.taken[path] |= 1 << place


def _read_turn(state: WayOfTheDragonPosition, turn_of: int | None) -> None:
    """Check `turn` and read `turn_of`; they are 0 and null before the first turn."""
    if state.phase in (DEAD, START):
        checked_integer("turn", state.turn, low=0, high=0)
        if turn_of is not None:
            refuse("turn_of", "must be null before the first turn")
        return
    checked_integer("turn", state.turn, low=1, high=state.cap)
    if turn_of is not None:
        state.turn_of = checked_integer("turn_of", turn_of, low=0, high=state.seats - 1)
    elif state.phase == ROLL:
        refuse("turn_of", "is missing; write whose dice are rolled")
    else:
        state.turn_of = state.to_move or 0
    if state.to_move not in (None, CHANCE, state.turn_of):
        refuse("turn_of", f"must be {state.to_move}, as that seat decides")


def _moved(state: WayOfTheDragonPosition, field: str, value: object) -> int:
    """Return the step of a moved piece, which must still stand on its target."""
    if not isinstance(value, list) or len(value) != len(("element", "from", "to")):
        refuse(field, f"must be a list of element, origin and target, not {value!r}")
    path = _ELEMENT.read(field, value[0])
    last = state.board.last[path]
    origin = checked_integer(field, value[1], low=0, high=last)
    target = checked_integer(field, value[2], low=1, high=last)
    if target not in state.positions[path::PATHS]:
        refuse(field, f"no piece stands on {target} of the path of {ELEMENTS[path]}")
    return step_of(path, origin, target)


def _check_phase(state: WayOfTheDragonPosition) -> None:
    """Refuse dice and rolls that do not belong to the phase."""
    phase = state.phase
    if phase in (DEAD, START):
        _check_before_turns(state)
    elif phase == ROLL:
        _check_roll(state)
    elif state.dice == NONE:
        refuse("dice", f"is missing in phase {PHASES[phase]!r}")
    elif phase == KEEPING:
        if state.rolls_left == 0 and not state.asks_for_eye():
            refuse("rolls_left", "must be 1 or 2 in phase 'keep' without a fourth roll")
    elif state.rolls_left:
        refuse("rolls_left", f"must be 0 in phase {PHASES[phase]!r}")
    if phase == EXTRA and not (state.asks_for_extra() and state.turn < state.cap):
        refuse("phase", "must not be 'extra': no other turn can follow this one")


def _check_before_turns(state: WayOfTheDragonPosition) -> None:
    placed = sum(mask.bit_count() for mask in state.dead)
    if state.phase == DEAD and placed >= state.options["dead"]:
        refuse("dead", "must be fewer than the option says in phase 'dead'")
    if state.phase == START and state.options["start_seat"] != "draw":
        refuse("phase", "must not be 'start' when the option start_seat says who begins")
    if any(state.positions) or state.used or state.dice or state.rolls_left:
        refuse("phase", f"must not be {PHASES[state.phase]!r} when the match has begun")


def _check_roll(state: WayOfTheDragonPosition) -> None:
    if state.kept != NONE and state.rolls_left == REROLLS:
        refuse("rolls_left", f"must be below {REROLLS} when dice are rolled again")
    if state.rolls_left < REROLLS and state.dice == NONE:
        refuse("dice", "must be there when some are rolled again")
