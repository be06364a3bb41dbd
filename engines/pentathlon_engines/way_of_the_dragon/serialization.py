"""Positions of Way of the Dragon as JSON, as on its rules page (10), and back.

What only the engine needs may be left out of a position that is read: `turn_of`, `kept`, `last`,
`moved`, `ply`.
"""

from __future__ import annotations

from pentathlon_engines.contract.game import CHANCE
from pentathlon_engines.contract.position import Fields, checked_integer, refuse
from pentathlon_engines.way_of_the_dragon.actions import ACTIONS, ELEMENTS, GRAMMAR, PATHS, TEXTS
from pentathlon_engines.way_of_the_dragon.board import (
    COLORS,
    LEAST_PLAIN,
    MOST_DEAD_PER_PATH,
    MOST_PLAIN,
    USUAL_PLAIN,
    join_steps,
    step_of,
    steps_in,
)
from pentathlon_engines.way_of_the_dragon.dice import ALL, FACES, NONE, NUMBERS, WORDS, is_part
from pentathlon_engines.way_of_the_dragon.table import (
    DEAD,
    EXTRA,
    KEEPING,
    NOBODY,
    OVER,
    PHASES,
    REROLLS,
    ROLL,
    START,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from pentathlon_engines.way_of_the_dragon.table import Table


def describe(table: Table) -> dict[str, Any]:
    """Return a position as a JSON object."""
    outcome = table.outcome
    return {
        "game": "way_of_the_dragon",
        "players": table.seats,
        "colors": [COLORS[color] for color in table.colors],
        "options": dict(table.options),
        "plain_spaces": list(table.board.plain),
        "turn": table.turn,
        "turn_of": None if table.turn_of == NOBODY else table.turn_of,
        "to_move": table.to_move,
        "phase": PHASES[table.phase],
        "dice": WORDS[table.dice],
        "kept": WORDS[table.kept],
        "rolls_left": table.rolls_left,
        "positions": [pieces(table, seat) for seat in range(table.seats)],
        "dead": dead_pieces(table),
        "power_used": [bool(table.used >> seat & 1) for seat in range(table.seats)],
        "last": last_action(table),
        "moved": [
            [ELEMENTS[path], origin, target] for path, origin, target in steps_in(table.moved)
        ],
        "ply": table.ply,
        "result": None if outcome is None else outcome.to_json(),
    }


def pieces(table: Table, seat: int) -> dict[str, int | None]:
    """Return where the pieces of a seat stand; None is off the board."""
    first = seat * PATHS
    mine = table.positions[first : first + PATHS]
    return {element: at or None for element, at in zip(ELEMENTS, mine, strict=True)}


def dead_pieces(table: Table) -> dict[str, list[int]]:
    """Return where dead pieces stand, on the paths that have any."""
    return {
        element: [at for at in range(mask.bit_length()) if mask >> at & 1]
        for element, mask in zip(ELEMENTS, table.dead, strict=True)
        if mask
    }


def last_action(table: Table) -> dict[str, int | str] | None:
    """Return who acted last and how."""
    seat, action = table.last
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


def read(table: Table, data: dict[str, Any]) -> None:
    """Turn a fresh state into the position of `data`, or raise `BadPosition`."""
    fields = Fields(data, known=_FIELDS)
    _check_colors(table, fields)
    _read_dead(table, fields.mapping("dead", default={}))
    _read_pieces(table, fields.sequence("positions", length=table.seats))
    _read_phase(table, fields)
    _read_used(table, fields)
    _read_turn(table, fields)
    _read_dice(table, fields)
    _read_last(table, fields)
    for index, value in enumerate(fields.items("moved", most=PATHS)):
        table.moved = join_steps(table.moved, _moved(table, f"moved[{index}]", value))
    table.ply = fields.integer("ply", low=0, high=table.game.info.longest, default=0)
    _check_phase(table)
    _read_result(table, fields)


def _check_colors(table: Table, fields: Fields) -> None:
    expected = [COLORS[color] for color in table.colors]
    if fields.has("colors") and fields.sequence("colors", length=table.seats) != expected:
        refuse("colors", f"must be {expected} with option colors {table.options['colors']!r}")


def _read_dead(table: Table, dead: dict[str, Any]) -> None:
    masks = [0] * PATHS
    for element, places in dead.items():
        path = _path("dead", element)
        field, plain = f"dead.{element}", table.board.plain[path]
        if not isinstance(places, list) or not 0 < len(places) <= MOST_DEAD_PER_PATH:
            refuse(field, f"must be a list of 1 to {MOST_DEAD_PER_PATH} positions, not {places!r}")
        for at in places:
            masks[path] |= 1 << checked_integer(field, at, low=1, high=plain)
        if places != sorted(set(places)):
            refuse(field, f"must be ascending, not {places!r}")
    table.dead = tuple(masks)
    table.taken = masks


def _path(field: str, element: object) -> int:
    if element not in ELEMENTS:
        refuse(field, f"{element!r} is no element; there are {', '.join(ELEMENTS)}")
    return ELEMENTS.index(str(element))


def _read_pieces(table: Table, seats_of: list[Any]) -> None:
    for seat, places in enumerate(seats_of):
        field = f"positions[{seat}]"
        if not isinstance(places, dict) or set(places) != set(ELEMENTS):
            refuse(field, f"must be an object with {', '.join(ELEMENTS)}, not {places!r}")
        for path, element in enumerate(ELEMENTS):
            if places[element] is not None:
                _put(table, seat, path, at=places[element])


def _put(table: Table, seat: int, path: int, *, at: object) -> None:
    field = f"positions[{seat}].{ELEMENTS[path]}"
    place = checked_integer(field, at, low=1, high=table.board.last[path])
    if table.taken[path] >> place & 1:
        refuse(field, f"there is something else on {place}")
    table.positions[seat * PATHS + path] = place
    table.taken[path] |= 1 << place


def _read_phase(table: Table, fields: Fields) -> None:
    """Read `to_move` and `phase`, which must agree on who decides."""
    table.to_move = fields.seat_to_move(table.seats, chance=True)
    name = fields.text("phase")
    if name not in PHASES:
        refuse("phase", f"{name!r} is no phase; there are {', '.join(PHASES)}")
    table.phase = PHASES.index(name)
    if table.phase == OVER:
        decides = table.to_move is None
    elif table.phase <= ROLL:
        decides = table.to_move == CHANCE
    else:
        decides = table.to_move is not None and table.to_move != CHANCE
    if not decides:
        refuse("to_move", f"must not be {table.to_move} in phase {name!r}")


def _read_used(table: Table, fields: Fields) -> None:
    used = fields.sequence("power_used", length=table.seats)
    for seat, value in enumerate(used):
        if type(value) is not bool or (value and not table.options["powers"]):
            allowed = "true or false" if table.options["powers"] else "false without powers"
            refuse(f"power_used[{seat}]", f"must be {allowed}, not {value!r}")
        table.used |= value << seat


def _read_turn(table: Table, fields: Fields) -> None:
    """Read `turn` and `turn_of`; before the first turn is rolled they are 0 and who begins."""
    before = table.phase in (DEAD, START)
    low, high = (0, 0) if before else (1, table.cap)
    table.turn = fields.integer("turn", low=low, high=high)
    if fields.has("turn_of"):
        table.turn_of = fields.integer("turn_of", low=0, high=table.seats - 1)
    elif table.to_move not in (None, CHANCE):
        table.turn_of = table.to_move
    elif table.phase == ROLL:
        refuse("turn_of", "is missing; write whose dice are rolled")
    elif not before:
        table.turn_of = 0
    if before and table.turn_of != NOBODY:
        refuse("turn_of", "must be null before the first turn")
    if table.to_move not in (None, CHANCE, table.turn_of):
        refuse("turn_of", f"must be {table.to_move}, as that seat decides")


def _read_dice(table: Table, fields: Fields) -> None:
    table.dice = _dice("dice", fields.text("dice", default=""))
    table.kept = _dice("kept", fields.text("kept", default=""))
    table.rolls_left = fields.integer("rolls_left", low=0, high=REROLLS, default=0)
    if table.dice != NONE and table.dice < ALL:
        refuse("dice", "must be five dice, or none before the first roll")
    if table.kept != NONE and (table.kept >= ALL or not is_part(table.kept, table.dice)):
        refuse("kept", "must be some of the dice, but not all of them")


def _dice(field: str, word: str) -> int:
    if word not in NUMBERS:
        refuse(field, f"{word!r} must be at most five letters in the order {FACES}")
    return NUMBERS[word]


def _read_last(table: Table, fields: Fields) -> None:
    if not fields.has("last"):
        return
    last = fields.mapping("last")
    if set(last) != {"seat", "action"} or last["action"] not in list(ACTIONS):
        refuse("last", f"must have seat and action, with an action like {GRAMMAR}")
    seat = checked_integer("last.seat", last["seat"], low=0, high=table.seats - 1)
    table.last = (seat, ACTIONS[last["action"]])


def _moved(table: Table, field: str, value: object) -> int:
    """Return the step of a piece that was moved and stands there now."""
    if not isinstance(value, list) or len(value) != len(("element", "from", "to")):
        refuse(field, f"must be a list of element, origin and target, not {value!r}")
    path = _path(field, value[0])
    last = table.board.last[path]
    origin = checked_integer(field, value[1], low=0, high=last)
    target = checked_integer(field, value[2], low=1, high=last)
    if target not in table.positions[path::PATHS]:
        refuse(field, f"no piece stands on {target} of the path of {ELEMENTS[path]}")
    return step_of(path, origin, target)


def _check_phase(table: Table) -> None:
    """Refuse dice and rolls that do not belong to the phase."""
    phase = table.phase
    if phase in (DEAD, START):
        _check_before_turns(table)
    elif phase == ROLL:
        _check_roll(table)
    elif table.dice == NONE:
        refuse("dice", f"is missing in phase {PHASES[phase]!r}")
    elif phase == KEEPING:
        if table.rolls_left == 0 and not table.asks_for_eye():
            refuse("rolls_left", "must be 1 or 2 in phase 'keep' without a fourth roll")
    elif table.rolls_left:
        refuse("rolls_left", f"must be 0 in phase {PHASES[phase]!r}")
    if phase == EXTRA and not (table.asks_for_extra() and table.turn < table.cap):
        refuse("phase", "must not be 'extra': no other turn can follow this one")


def _check_before_turns(table: Table) -> None:
    placed = sum(mask.bit_count() for mask in table.dead)
    if table.phase == DEAD and placed >= table.options["dead"]:
        refuse("dead", "must be fewer than the option says in phase 'dead'")
    if table.phase == START and table.options["start_seat"] != "draw":
        refuse("phase", "must not be 'start' when the option start_seat says who begins")
    if any(table.positions) or table.used or table.dice or table.rolls_left:
        refuse("phase", f"must not be {PHASES[table.phase]!r} when the match has begun")


def _check_roll(table: Table) -> None:
    if table.kept != NONE and table.rolls_left == REROLLS:
        refuse("rolls_left", f"must be below {REROLLS} when dice are rolled again")
    if table.rolls_left < REROLLS and table.dice == NONE:
        refuse("dice", "must be there when some are rolled again")


def _read_result(table: Table, fields: Fields) -> None:
    """Read `result`, which is what the position counts."""
    expected = table.ending(race=table.is_race()) if table.phase == OVER else None
    given = fields.mapping("result") if fields.has("result") else None
    if table.phase == OVER and expected is None:
        refuse("phase", "must not be 'over': no seat has all pieces on numbers before the cap")
    counted = None if expected is None else expected.to_json()
    if given != counted:
        refuse("result", f"must be {counted} in this position")
    table.outcome = expected
