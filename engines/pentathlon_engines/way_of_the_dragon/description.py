"""The words in pictures of Way of the Dragon, and the dice that are framed."""

from __future__ import annotations

from pentathlon_engines.commentary.words import count
from pentathlon_engines.way_of_the_dragon import moves
from pentathlon_engines.way_of_the_dragon.actions import ELEMENTS, PATHS, TEXTS
from pentathlon_engines.way_of_the_dragon.board import COLOURS, EXTRA, NOBODY, OVER, ROLL
from pentathlon_engines.way_of_the_dragon.dice import DRAGON, FACES, NONE, REROLLS, WORDS
from pentathlon_engines.way_of_the_dragon.state import WayOfTheDragonPosition


def of_seat(state: WayOfTheDragonPosition, seat: int) -> str:
    """Return colour, points, pieces and power of a seat."""
    counted = moves.rank_seats(state, "")
    scores = counted.scores or ()
    power = f", power {_power(state, seat)}" if state.options["powers"] else ""
    numbered = counted.numbered[seat]
    return (
        f"seat {seat}: {COLOURS[state.colours[seat]]}, {count(scores[seat], 'point')}, "
        f"{numbered} of {PATHS} on numbers{power}"
    )


def _power(state: WayOfTheDragonPosition, seat: int) -> str:
    return "used" if state.used >> seat & 1 else "not used"


def of_dice(state: WayOfTheDragonPosition) -> str:
    """Return the dice, those that are framed, and the rolls that are left."""
    if state.dice == NONE:
        return "dice not rolled yet"
    framed = framed_dice(state)
    chosen = f", {framed} chosen" if framed else ""
    big, small = of_rolls(state)
    return f"dice {WORDS[state.dice]}{chosen}; {big} {small}"


def of_rolls(state: WayOfTheDragonPosition) -> tuple[str, str]:
    """Describe the remaining rolls in two short lines."""
    if state.phase == OVER:
        return "match", "over"
    if state.turn_of == NOBODY:
        return "setting", "up"
    if has_turn_passed(state):
        return f"seat {state.turn_of}", "begins" if state.turn == 1 else "is next"
    if state.phase == ROLL:
        return "rolling", "again"
    return f"{state.rolls_left} {'roll' if state.rolls_left == 1 else 'rolls'}", "left"


def has_turn_passed(state: WayOfTheDragonPosition) -> bool:
    """Return whether the dice still lie as the previous turn left them."""
    return state.phase == ROLL and state.rolls_left == REROLLS and state.kept == NONE


def framed_dice(state: WayOfTheDragonPosition) -> str:
    """Return the dice that were kept or, after the action, those that were used."""
    if state.phase in (EXTRA, OVER) or has_turn_passed(state):
        return _used_dice(state)
    return WORDS[state.kept]


def _used_dice(state: WayOfTheDragonPosition) -> str:
    seat, action = state.last
    words = [] if seat == NOBODY else TEXTS[action].split()
    dice = WORDS[state.dice]
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


def of_space(state: WayOfTheDragonPosition, path: int, at: int) -> str:
    """Return what a space is and what stands on it."""
    points = state.board.points[path][at]
    name = f"{ELEMENTS[path]} {at}" + (f", {count(points, 'point')}" if points else "")
    return f"{name}: {_of_piece(state, path, at)}"


def _of_piece(state: WayOfTheDragonPosition, path: int, at: int) -> str:
    if state.dead[path] >> at & 1:
        return "dead piece"
    seat = seat_on(state, path, at)
    return "empty" if seat is None else f"seat {seat}, {COLOURS[state.colours[seat]]}"


def seat_on(state: WayOfTheDragonPosition, path: int, at: int) -> int | None:
    """Return whose piece stands on a space, None if nobody's."""
    on_path = state.positions[path::PATHS]
    return on_path.index(at) if at in on_path else None


def of_end(state: WayOfTheDragonPosition) -> str:
    """Return the last action and how the match ended, if it has."""
    seat, action = state.last
    done = "no action yet" if seat == NOBODY else f"last action: seat {seat} {TEXTS[action]}"
    said = f"ply {state.ply}, {done}"
    if state.outcome is None:
        return said
    ranks = state.outcome.ranks
    winners = [str(seat) for seat, rank in enumerate(ranks) if rank == 0]
    won = f"seats {' and '.join(winners)} share" if len(winners) > 1 else f"seat {winners[0]} won"
    return f"{said}; {won} ({state.outcome.reason})"
