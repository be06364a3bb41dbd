"""Positions of Way of the Dragon as JSON, as on its rules page (10), and back.

Fields that only the engine needs may be missing in a position that is read: `turn_of`, `kept`,
`last`, `moved`, `ply`.
"""

from __future__ import annotations

from pentathlon_engines.contract.game import CHANCE
from pentathlon_engines.contract.position import Fields, checked_integer, refuse
from pentathlon_engines.way_of_the_dragon import moves
from pentathlon_engines.way_of_the_dragon.actions import ACTIONS, ELEMENTS, GRAMMAR, PATHS, TEXTS
from pentathlon_engines.way_of_the_dragon.board import (
    COLOURS,
    DEAD,
    EXTRA,
    KEEPING,
    LEAST_PLAIN,
    MOST_DEAD_PER_PATH,
    MOST_PLAIN,
    NOBODY,
    OVER,
    PHASES,
    ROLL,
    START,
    USUAL_PLAIN,
    join_steps,
    step_of,
    steps_in,
)
from pentathlon_engines.way_of_the_dragon.dice import (
    ALL,
    FACES,
    NONE,
    NUMBERS,
    REROLLS,
    WORDS,
    is_part,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from pentathlon_engines.way_of_the_dragon.state import WayOfTheDragonPosition


def describe(state: WayOfTheDragonPosition) -> dict[str, Any]:
    """Return a position as a JSON object."""
    outcome = state.outcome
    return {
        "game": "way_of_the_dragon",
        "players": state.seats,
        "colors": [COLOURS[colour] for colour in state.colours],
        "options": dict(state.options),
        "plain_spaces": list(state.board.plain),
        "turn": state.turn,
        "turn_of": None if state.turn_of == NOBODY else state.turn_of,
        "to_move": state.to_move,
        "phase": PHASES[state.phase],
        "dice": WORDS[state.dice],
        "kept": WORDS[state.kept],
        "rolls_left": state.rolls_left,
        "positions": [pieces(state, seat) for seat in range(state.seats)],
        "dead": dead_pieces(state),
        "power_used": [bool(state.used >> seat & 1) for seat in range(state.seats)],
        "last": last_action(state),
        "moved": [
            [ELEMENTS[path], origin, target] for path, origin, target in steps_in(state.moved)
        ],
        "ply": state.ply,
        "result": None if outcome is None else outcome.to_json(),
    }


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


_FIELDS: Final = (
    "players",
    "colors",
    "plain_spaces",
    "turn",
    "turn_of",
    "dice",
    "kept",
    "rolls_left",
    "positions",
    "dead",
    "power_used",
    "last",
    "moved",
    "ply",
)


def seats(data: dict[str, Any], allowed: tuple[int, int]) -> int:
    """Return the number of seats: one for each item of `positions`."""
    positions = data.get("positions")
    low, high = allowed
    if not isinstance(positions, list) or not low <= len(positions) <= high:
        refuse("positions", f"must be a list with {low} to {high} seats, not {positions!r}")
    count = len(positions)
    if data.get("players", count) != count:
        refuse("players", f"must be {count}, as there are so many items in positions")
    return count


def plain_spaces(data: dict[str, Any]) -> tuple[int, ...]:
    """Return the number of plain spaces of each path."""
    fields = Fields(data, known=_FIELDS)
    if not fields.has("plain_spaces"):
        return USUAL_PLAIN
    return tuple(
        checked_integer(f"plain_spaces[{path}]", value, low=LEAST_PLAIN, high=MOST_PLAIN)
        for path, value in enumerate(fields.sequence("plain_spaces", length=PATHS))
    )


def read(state: WayOfTheDragonPosition, data: dict[str, Any]) -> None:
    """Turn a fresh state into the position of `data`, or raise `BadPosition`."""
    fields = Fields(data, known=_FIELDS)
    _check_colours(state, fields)
    _read_dead(state, fields.mapping("dead", default={}))
    _read_pieces(state, fields.sequence("positions", length=state.seats))
    _read_phase(state, fields)
    _read_used(state, fields)
    _read_turn(state, fields)
    _read_dice(state, fields)
    _read_last(state, fields)
    for index, value in enumerate(fields.items("moved", most=PATHS)):
        state.moved = join_steps(state.moved, _moved(state, f"moved[{index}]", value))
    state.ply = fields.integer("ply", low=0, high=state.game.info.longest, default=0)
    _check_phase(state)
    _read_result(state, fields)


def _check_colours(state: WayOfTheDragonPosition, fields: Fields) -> None:
    expected = [COLOURS[colour] for colour in state.colours]
    if fields.has("colors") and fields.sequence("colors", length=state.seats) != expected:
        refuse("colors", f"must be {expected} with option colors {state.options['colors']!r}")


def _read_dead(state: WayOfTheDragonPosition, dead: dict[str, Any]) -> None:
    masks = [0] * PATHS
    for element, places in dead.items():
        path = _path("dead", element)
        field, plain = f"dead.{element}", state.board.plain[path]
        if not isinstance(places, list) or not 0 < len(places) <= MOST_DEAD_PER_PATH:
            refuse(field, f"must be a list of 1 to {MOST_DEAD_PER_PATH} positions, not {places!r}")
        for at in places:
            masks[path] |= 1 << checked_integer(field, at, low=1, high=plain)
        if places != sorted(set(places)):
            refuse(field, f"must be ascending, not {places!r}")
    state.dead = tuple(masks)
    state.taken = masks


def _path(field: str, element: object) -> int:
    if element not in ELEMENTS:
        refuse(field, f"{element!r} is not an element; the elements are {', '.join(ELEMENTS)}")
    return ELEMENTS.index(str(element))


def _read_pieces(state: WayOfTheDragonPosition, seats_of: list[Any]) -> None:
    for seat, places in enumerate(seats_of):
        field = f"positions[{seat}]"
        if not isinstance(places, dict) or set(places) != set(ELEMENTS):
            refuse(field, f"must be an object with {', '.join(ELEMENTS)}, not {places!r}")
        for path, element in enumerate(ELEMENTS):
            if places[element] is not None:
                _put(state, seat, path, at=places[element])


def _put(state: WayOfTheDragonPosition, seat: int, path: int, *, at: object) -> None:
    field = f"positions[{seat}].{ELEMENTS[path]}"
    place = checked_integer(field, at, low=1, high=state.board.last[path])
    if state.taken[path] >> place & 1:
        refuse(field, f"there is something else on {place}")
    state.positions[seat * PATHS + path] = place
    state.taken[path] |= 1 << place


def _read_phase(state: WayOfTheDragonPosition, fields: Fields) -> None:
    """Read `to_move` and `phase`, which must agree on who decides."""
    state.to_move = fields.seat_to_move(state.seats, chance=True)
    name = fields.text("phase")
    if name not in PHASES:
        refuse("phase", f"{name!r} is not a phase; the phases are {', '.join(PHASES)}")
    state.phase = PHASES.index(name)
    if state.phase == OVER:
        decides = state.to_move is None
    elif state.phase <= ROLL:
        decides = state.to_move == CHANCE
    else:
        decides = state.to_move is not None and state.to_move != CHANCE
    if not decides:
        refuse("to_move", f"must not be {state.to_move} in phase {name!r}")


def _read_used(state: WayOfTheDragonPosition, fields: Fields) -> None:
    used = fields.sequence("power_used", length=state.seats)
    for seat, value in enumerate(used):
        if type(value) is not bool or (value and not state.options["powers"]):
            allowed = "true or false" if state.options["powers"] else "false without powers"
            refuse(f"power_used[{seat}]", f"must be {allowed}, not {value!r}")
        state.used |= value << seat


def _read_turn(state: WayOfTheDragonPosition, fields: Fields) -> None:
    """Read `turn` and `turn_of`; they are 0 and null before the first turn."""
    before = state.phase in (DEAD, START)
    low, high = (0, 0) if before else (1, state.cap)
    state.turn = fields.integer("turn", low=low, high=high)
    if fields.has("turn_of"):
        state.turn_of = fields.integer("turn_of", low=0, high=state.seats - 1)
    elif state.to_move not in (None, CHANCE):
        state.turn_of = state.to_move
    elif state.phase == ROLL:
        refuse("turn_of", "is missing; write whose dice are rolled")
    elif not before:
        state.turn_of = 0
    if before and state.turn_of != NOBODY:
        refuse("turn_of", "must be null before the first turn")
    if state.to_move not in (None, CHANCE, state.turn_of):
        refuse("turn_of", f"must be {state.to_move}, as that seat decides")


def _read_dice(state: WayOfTheDragonPosition, fields: Fields) -> None:
    state.dice = _dice("dice", fields.text("dice", default=""))
    state.kept = _dice("kept", fields.text("kept", default=""))
    state.rolls_left = fields.integer("rolls_left", low=0, high=REROLLS, default=0)
    if state.dice != NONE and state.dice < ALL:
        refuse("dice", "must be five dice, or none before the first roll")
    if state.kept != NONE and (state.kept >= ALL or not is_part(state.kept, state.dice)):
        refuse("kept", "must be some of the dice, but not all of them")


def _dice(field: str, word: str) -> int:
    if word not in NUMBERS:
        refuse(field, f"{word!r} must be at most five letters in the order {FACES}")
    return NUMBERS[word]


def _read_last(state: WayOfTheDragonPosition, fields: Fields) -> None:
    if not fields.has("last"):
        return
    last = fields.mapping("last")
    if set(last) != {"seat", "action"} or last["action"] not in list(ACTIONS):
        refuse("last", f"must have seat and action, with an action like {GRAMMAR}")
    seat = checked_integer("last.seat", last["seat"], low=0, high=state.seats - 1)
    state.last = (seat, ACTIONS[last["action"]])


def _moved(state: WayOfTheDragonPosition, field: str, value: object) -> int:
    """Return the step of a moved piece, which must still stand on its target."""
    if not isinstance(value, list) or len(value) != len(("element", "from", "to")):
        refuse(field, f"must be a list of element, origin and target, not {value!r}")
    path = _path(field, value[0])
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


def _read_result(state: WayOfTheDragonPosition, fields: Fields) -> None:
    """Read `result`, which must agree with the position."""
    expected = moves.outcome_of(state, race=moves.is_race(state)) if state.phase == OVER else None
    given = fields.mapping("result") if fields.has("result") else None
    if state.phase == OVER and expected is None:
        refuse("phase", "must not be 'over': no seat has all pieces on numbers before the cap")
    counted = None if expected is None else expected.to_json()
    if given != counted:
        refuse("result", f"must be {counted} in this position")
    state.outcome = expected
