"""What pictures of Way of the Dragon say in words, and which dice they frame."""

from __future__ import annotations

from pentathlon_engines.way_of_the_dragon.actions import ELEMENTS, PATHS, TEXTS
from pentathlon_engines.way_of_the_dragon.board import COLORS
from pentathlon_engines.way_of_the_dragon.dice import DRAGON, FACES, NONE, WORDS
from pentathlon_engines.way_of_the_dragon.table import (
    EXTRA,
    NOBODY,
    OVER,
    REROLLS,
    ROLL,
    Table,
)


def of_seat(table: Table, seat: int) -> str:
    """Return color, points, pieces and power of a seat."""
    counted = table.count("")
    scores = counted.scores or ()
    power = f", power {_power(table, seat)}" if table.options["powers"] else ""
    numbered = counted.numbered[seat]
    return (
        f"seat {seat}: {COLORS[table.colors[seat]]}, {_points(scores[seat])}, "
        f"{numbered} of {PATHS} on numbers{power}"
    )


def _points(points: int) -> str:
    return f"{points} point" if points == 1 else f"{points} points"


def _power(table: Table, seat: int) -> str:
    return "used" if table.used >> seat & 1 else "not used"


def of_dice(table: Table) -> str:
    """Return the dice, those that are framed, and the rolls that are left."""
    if table.dice == NONE:
        return "dice not rolled yet"
    framed = framed_dice(table)
    chosen = f", {framed} chosen" if framed else ""
    big, small = of_rolls(table)
    return f"dice {WORDS[table.dice]}{chosen}; {big} {small}"


def of_rolls(table: Table) -> tuple[str, str]:
    """Return what is left to roll, in two short lines."""
    if table.phase == OVER:
        return "match", "over"
    if table.turn_of == NOBODY:
        return "setting", "up"
    if has_turn_passed(table):
        return f"seat {table.turn_of}", "begins" if table.turn == 1 else "is next"
    if table.phase == ROLL:
        return "rolling", "again"
    return f"{table.rolls_left} {'roll' if table.rolls_left == 1 else 'rolls'}", "left"


def has_turn_passed(table: Table) -> bool:
    """Say whether the dice still lie as the turn before left them."""
    return table.phase == ROLL and table.rolls_left == REROLLS and table.kept == NONE


def framed_dice(table: Table) -> str:
    """Return the dice that were kept or, after the action, used."""
    if table.phase in (EXTRA, OVER) or has_turn_passed(table):
        return _used_dice(table)
    return WORDS[table.kept]


def _used_dice(table: Table) -> str:
    seat, action = table.last
    words = [] if seat == NOBODY else TEXTS[action].split()
    dice = WORDS[table.dice]
    if not words or words[0] not in ("move", "jump", "wild", "swap", "equilibrium"):
        return ""
    if words[0] == "equilibrium":
        return dice
    dragon = FACES[DRAGON]
    if words[0] == "swap":
        return dragon * dice.count(dragon)
    letter = FACES[ELEMENTS.index(words[1])]
    own = dice.count(letter)
    return letter * own + (dragon * (int(words[2]) - own) if words[0] == "wild" else "")


def of_space(table: Table, path: int, at: int) -> str:
    """Return what a space is and what stands on it."""
    points = table.board.points[path][at]
    name = f"{ELEMENTS[path]} {at}" + (f", {_points(points)}" if points else "")
    return f"{name}: {_of_piece(table, path, at)}"


def _of_piece(table: Table, path: int, at: int) -> str:
    if table.dead[path] >> at & 1:
        return "dead piece"
    seat = seat_on(table, path, at)
    return "empty" if seat is None else f"seat {seat}, {COLORS[table.colors[seat]]}"


def seat_on(table: Table, path: int, at: int) -> int | None:
    """Return whose piece stands on a space, None if nobody's."""
    on_path = table.positions[path::PATHS]
    return on_path.index(at) if at in on_path else None


def of_end(table: Table) -> str:
    """Return the last action and how the match ended, if it has."""
    seat, action = table.last
    done = "no action yet" if seat == NOBODY else f"last action: seat {seat} {TEXTS[action]}"
    said = f"ply {table.ply}, {done}"
    if table.outcome is None:
        return said
    ranks = table.outcome.ranks
    winners = [str(seat) for seat, rank in enumerate(ranks) if rank == 0]
    won = f"seats {' and '.join(winners)} share" if len(winners) > 1 else f"seat {winners[0]} won"
    return f"{said}; {won} ({table.outcome.reason})"
