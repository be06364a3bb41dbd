"""Positions of Way of the Dragon as JSON, as on its rules page (section 10)."""

from __future__ import annotations

from pentathlon_engines.way_of_the_dragon.actions import ELEMENTS, PATHS, TEXTS
from pentathlon_engines.way_of_the_dragon.board import COLORS, steps_in
from pentathlon_engines.way_of_the_dragon.dice import WORDS
from pentathlon_engines.way_of_the_dragon.table import NOBODY, PHASES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

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
