"""Pictures of Way of the Dragon: five paths as rows, the dice, and a list of the seats."""

from __future__ import annotations

from typing import Final

from pentathlon_engines.commentary.words import count
from pentathlon_engines.drawing.svg import WIDTH, Box, Picture, Point
from pentathlon_engines.way_of_the_dragon import board, moves
from pentathlon_engines.way_of_the_dragon.actions import ELEMENTS, PATHS, TEXTS
from pentathlon_engines.way_of_the_dragon.dice import DRAGON, FACES, NONE, REROLLS, WORDS
from pentathlon_engines.way_of_the_dragon.state import WayOfTheDragonPosition

_LEFT: Final = 95
_FIRST_ROW: Final = 76
_ROW: Final = 76
_BAND: Final = 68
_SPACE: Final = 49
_FIELD_WIDTH: Final = _SPACE * max(board.board_of(board.USUAL_PLAIN).last)
_FIELD: Final = (_LEFT, _FIRST_ROW - _BAND / 2, _FIELD_WIDTH, _ROW * (PATHS - 1) + _BAND)
_COLUMNS_AT: Final = 24
_DICE_AT: Final = 462
_DIE: Final = 54
_SEATS_AT: Final = 528
_HEIGHT: Final = 560
_NAMES: Final = (*ELEMENTS, "dragon")
"""The names of the faces in the palette."""
_GLYPHS: Final = (*ELEMENTS, "celestial")


def of_seat(state: WayOfTheDragonPosition, seat: int) -> str:
    """Return colour, points, pieces and power of a seat."""
    counted = moves.rank_seats(state, "")
    scores = counted.scores or ()
    power = f", power {_power(state, seat)}" if state.options["powers"] else ""
    numbered = counted.numbered[seat]
    return (
        f"seat {seat}: {board.COLOURS[state.colours[seat]]}, {count(scores[seat], 'point')}, "
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
    if state.phase == board.OVER:
        return "match", "over"
    if state.turn_of == board.NOBODY:
        return "setting", "up"
    if has_turn_passed(state):
        return f"seat {state.turn_of}", "begins" if state.turn == 1 else "is next"
    if state.phase == board.ROLL:
        return "rolling", "again"
    return f"{state.rolls_left} {'roll' if state.rolls_left == 1 else 'rolls'}", "left"


def has_turn_passed(state: WayOfTheDragonPosition) -> bool:
    """Return whether the dice still lie as the previous turn left them."""
    return state.phase == board.ROLL and state.rolls_left == REROLLS and state.kept == NONE


def framed_dice(state: WayOfTheDragonPosition) -> str:
    """Return the dice that were kept or, after the action, those that were used."""
    if state.phase in (board.EXTRA, board.OVER) or has_turn_passed(state):
        return _used_dice(state)
    return WORDS[state.kept]


def _used_dice(state: WayOfTheDragonPosition) -> str:
    seat, action = state.last
    words = [] if seat == board.NOBODY else TEXTS[action].split()
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
    return "empty" if seat is None else f"seat {seat}, {board.COLOURS[state.colours[seat]]}"


def seat_on(state: WayOfTheDragonPosition, path: int, at: int) -> int | None:
    """Return whose piece stands on a space, None if nobody's."""
    on_path = state.positions[path::PATHS]
    return on_path.index(at) if at in on_path else None


def of_end(state: WayOfTheDragonPosition) -> str:
    """Return the last action and how the match ended, if it has."""
    seat, action = state.last
    done = "no action yet" if seat == board.NOBODY else f"last action: seat {seat} {TEXTS[action]}"
    said = f"ply {state.ply}, {done}"
    if state.outcome is None:
        return said
    ranks = state.outcome.ranks
    winners = [str(seat) for seat, rank in enumerate(ranks) if rank == 0]
    won = f"seats {' and '.join(winners)} share" if len(winners) > 1 else f"seat {winners[0]} won"
    return f"{said}; {won} ({state.outcome.reason})"


def svg(state: WayOfTheDragonPosition, seat: int | None) -> str:
    """Draw the position, which looks the same to every seat."""
    picture = Picture(height=_HEIGHT, field=_FIELD)
    size = _size(state)
    for at in range(1, max(state.board.last) + 1):
        picture.text(str(at), (_LEFT + size * (at - 0.5), _COLUMNS_AT), paint="bm", size=18)
    for path in range(PATHS):
        _draw_path(picture, state, path)
    _draw_marks(picture, state)
    _draw_dice(picture, state)
    for seat_of_list in range(state.seats):
        _draw_seat(picture, state, seat_of_list)
    title = f"Way of the Dragon, ply {state.ply}"
    return picture.document(title=title, description=_describe(state))


def text(state: WayOfTheDragonPosition) -> str:
    """Draw the position with a line for each path; an empty number shows its points."""
    columns = range(1, max(state.board.last) + 1)
    lines = [" " * 8 + "".join(str(at).ljust(4) for at in columns)]
    for path, element in enumerate(ELEMENTS):
        spaces = range(1, state.board.last[path] + 1)
        row = "".join(_letters(state, path, at).ljust(4) for at in spaces)
        lines.append(element.ljust(8) + row)
    lines.append(of_dice(state))
    for seat in range(state.seats):
        sign = ">" if state.turn_of == seat and state.outcome is None else " "
        lines.append(f"{sign} {of_seat(state, seat)}")
    lines.append(of_end(state))
    return "\n".join(line.rstrip() for line in lines)


def _letters(state: WayOfTheDragonPosition, path: int, at: int) -> str:
    if state.dead[path] >> at & 1:
        return "xx"
    seat = seat_on(state, path, at)
    if seat is not None:
        return f"s{seat}"
    points = state.board.points[path][at]
    return f"+{points}" if points else "."


def _size(state: WayOfTheDragonPosition) -> float:
    """Return the side of a space such that the longest path fits."""
    return _FIELD_WIDTH / max(state.board.last + board.board_of(board.USUAL_PLAIN).last)


def _middle(state: WayOfTheDragonPosition, path: int, at: int) -> Point:
    return _LEFT + _size(state) * (at - 0.5), _FIRST_ROW + _ROW * path


def _box(state: WayOfTheDragonPosition, path: int, at: int, *, gap: float = 1.5) -> Box:
    (x, y), side = _middle(state, path, at), _size(state) - 2 * gap
    return x - side / 2, y - side / 2, side, side


def _draw_path(picture: Picture, state: WayOfTheDragonPosition, path: int) -> None:
    element, middle = ELEMENTS[path], _FIRST_ROW + _ROW * path
    picture.rect((10, middle - _BAND / 2, WIDTH - 20, _BAND), paint="b-hand", radius=10)
    picture.disc((46, middle), size=50, paint=f"el-{element} b-edge", width=1.5)
    picture.glyph(element, (46, middle), size=30, paint=f"el-{element}-ink")
    for at in range(1, state.board.last[path] + 1):
        with picture.cell(f"{element} {at}", of_space(state, path, at)):
            _draw_space(picture, state, path, at)


def _draw_space(picture: Picture, state: WayOfTheDragonPosition, path: int, at: int) -> None:
    centre, size = _middle(state, path, at), _size(state)
    points = state.board.points[path][at]
    if points:
        picture.disc(
            centre, size=size - 5, paint=f"b-cell el-{ELEMENTS[path]}-ring", width=min(4, size / 9)
        )
    else:
        picture.rect(_box(state, path, at), paint="b-cell b-grid", radius=8, width=1.5)
    seat = seat_on(state, path, at)
    if seat is not None:
        _draw_piece(picture, state, seat, centre, points=points)
    elif state.dead[path] >> at & 1:
        side = size / 2
        picture.rect(
            (centre[0] - side / 2, centre[1] - side / 2, side, side), paint="b-rock", radius=3
        )
        picture.glyph("dead", centre, size=side * 0.6, paint="b-cell")
    elif points:
        picture.text(str(points), centre, size=24 if size == _SPACE else 17, paint="bm", bold=True)


def _draw_piece(
    picture: Picture, state: WayOfTheDragonPosition, seat: int, at: Point, *, points: int
) -> None:
    """Draw a piece; where colours matter it carries the glyph of its colour's element."""
    size = _size(state)
    picture.seat_piece(seat, at, size=size * 0.71, inside=str(points) if points else "")
    if state.options["powers"] or state.options["immunity"]:
        corner = (at[0] + size * 0.3, at[1] - size * 0.3)
        _draw_colour(picture, state, seat, corner, size=size * 0.42)


def _draw_colour(
    picture: Picture, state: WayOfTheDragonPosition, seat: int, at: Point, *, size: float
) -> None:
    element = ELEMENTS[state.colours[seat]]
    picture.disc(at, size=size, paint=f"el-{element} b-edge", width=1)
    picture.glyph(element, at, size=size * 0.66, paint=f"el-{element}-ink")


def _draw_marks(picture: Picture, state: WayOfTheDragonPosition) -> None:
    """Mark where pieces were moved to and, if nothing else stands there, from."""
    for path, origin, target in board.steps_in(state.moved):
        picture.brackets(_box(state, path, target, gap=-2))
        if origin and not state.taken[path] >> origin & 1:
            picture.dashed(_box(state, path, origin))


def _draw_dice(picture: Picture, state: WayOfTheDragonPosition) -> None:
    picture.text("Dice", (24, _DICE_AT), paint="bm", anchor="start")
    framed = framed_dice(state) if state.dice != NONE else ""
    shown: dict[str, int] = {}
    for index, letter in enumerate(WORDS[state.dice]):
        shown[letter] = shown.get(letter, 0) + 1
        is_framed = shown[letter] <= framed.count(letter)
        name = _NAMES[FACES.index(letter)]
        with picture.part(f"die {index + 1}", f"die {index + 1}: {name}"):
            _draw_die(picture, letter, 116 + 72 * index, framed=is_framed)
    big, small = of_rolls(state)
    picture.text(big, (482, _DICE_AT - 12), size=20, anchor="start", bold=True)
    picture.text(small, (482, _DICE_AT + 13), size=20, anchor="start", paint="bm")


def _draw_die(picture: Picture, letter: str, x: float, *, framed: bool) -> None:
    face = FACES.index(letter)
    name = _NAMES[face]
    box = (x - _DIE / 2, _DICE_AT - _DIE / 2, _DIE, _DIE)
    picture.rect(box, paint=f"el-{name} b-edge", radius=9, width=2)
    picture.glyph(_GLYPHS[face], (x, _DICE_AT), size=38, paint=f"el-{name}-ink")
    if framed:
        side = _DIE + 10
        frame = (x - side / 2, _DICE_AT - side / 2, side, side)
        picture.rect(frame, paint="b-last", radius=12, width=4)


def _draw_seat(picture: Picture, state: WayOfTheDragonPosition, seat: int) -> None:
    """Draw mark, points and power of a seat, with a bar if it is its turn."""
    width = (WIDTH - 20) / 5
    left, top = 10 + width * seat, _SEATS_AT - 22
    with picture.seat(seat, of_seat(state, seat)):
        picture.rect((left + 2, top, width - 4, 44), paint="b-hand", radius=10)
        if state.turn_of == seat and state.outcome is None:
            points = [(left + 5.5, top + 3.5), (left + 5.5, top + 40.5)]
            picture.line(points, paint="b-last", width=7)
        picture.seat_piece(seat, (left + 30, _SEATS_AT), size=24, inside=str(seat))
        score = (moves.rank_seats(state, "").scores or ())[seat]
        picture.text(str(score), (left + 50, _SEATS_AT), size=24, anchor="start", bold=True)
        if state.options["powers"] or state.options["immunity"]:
            _draw_colour(picture, state, seat, (left + 96, _SEATS_AT), size=28)
        if state.used >> seat & 1:
            picture.glyph("dead", (left + 96, _SEATS_AT), size=34, paint="b-rock")


def _describe(state: WayOfTheDragonPosition) -> str:
    seats = [of_seat(state, seat) for seat in range(state.seats)]
    sentences = [*seats, of_dice(state), of_end(state)]
    return " ".join(f"{sentence[0].upper()}{sentence[1:]}." for sentence in sentences)
