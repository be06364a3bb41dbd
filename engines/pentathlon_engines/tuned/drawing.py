"""Pictures of Tuned: a board of towers, and a strip with the hand of each seat."""

from __future__ import annotations

from typing import Final

from pentathlon_engines.commentary.words import count
from pentathlon_engines.drawing.svg import Box, Picture, Point, tops_for
from pentathlon_engines.drawing.terminal import grid
from pentathlon_engines.tuned.actions import TEXTS
from pentathlon_engines.tuned.board import (
    BITS,
    COLUMNS,
    KINDS,
    LETTERS,
    LINES,
    MOVES,
    ROWS,
    SQUARES,
)
from pentathlon_engines.tuned.serialization import hands, roosters, stack
from pentathlon_engines.tuned.state import TunedPosition

_FIELD: Final = (50, 78, 528, 528)
_CELL: Final = 176
_HEIGHT: Final = 708
_STRIP_TOPS: Final = (642, 10)
_WIDTHS: Final = (150, 120, 90)
_FLOOR: Final = 50
"""The height of one animal."""
_PILLS: Final = (("add", 372, 62), ("move", 440, 76), ("add", 522, 62))


def svg(state: TunedPosition, seat: int | None) -> str:
    """Draw the position, the seat that looks at it at the bottom."""
    picture = Picture(height=_HEIGHT, field=_FIELD)
    for seat_of_strip, top in enumerate(tops_for(seat, _STRIP_TOPS)):
        _draw_strip(picture, state, seat_of_strip, top)
    picture.coordinates(COLUMNS, ROWS, size=_CELL)
    for square in range(len(SQUARES)):
        _draw_square(picture, square, stack(state, square))
    _draw_marks(picture, state)
    return picture.document(title=f"Tuned, ply {state.actions}", description=_describe(state))


def text(state: TunedPosition) -> str:
    """Draw the position with letters, stacks from bottom to top."""
    board = grid(COLUMNS, ROWS, [stack(state, square) for square in range(len(SQUARES))])
    seats = [f"{'>' if state.to_move == seat else ' '} {_of_seat(state, seat)}" for seat in (0, 1)]
    return "\n".join([board, *seats, _ending(state)])


def _box(square: int) -> Box:
    row, column = divmod(square, len(COLUMNS))
    left, top, _, _ = _FIELD
    return left + _CELL * column + 2, top + _CELL * row + 2, _CELL - 4, _CELL - 4


def _middle(square: int, height: int) -> Point:
    """Return the middle of the animal with `height` animals below it."""
    x, y, width, depth = _box(square)
    return x + width / 2, y + depth - 12 - _FLOOR * (height + 0.5)


def _draw_square(picture: Picture, square: int, letters: str) -> None:
    names = [KINDS[LETTERS.index(letter)] for letter in letters]
    with picture.cell(SQUARES[square], f"{SQUARES[square]}: {', '.join(names) or 'empty'}"):
        tone = "b-cell2" if square % 2 else "b-cell"
        picture.rect(_box(square), paint=f"{tone} b-grid", radius=8, width=1)
        for height, name in enumerate(names):
            _draw_animal(picture, name, _middle(square, height), top=height == len(names) - 1)


def _draw_animal(picture: Picture, name: str, at: Point, *, top: bool) -> None:
    x, y = at
    kind = KINDS.index(name)
    width, depth = _WIDTHS[kind], _FLOOR - 2
    box = (x - width / 2, y - depth / 2, width, depth)
    # Only tops count for a line, so they have the bold edge.
    picture.rect(box, paint=f"b-{name} b-edge", radius=12, width=4 if top else 1.5)
    picture.glyph(name, (x - width / 2 + 25, y), size=36, paint=f"b-{name}-ink")
    picture.text(LETTERS[kind], (x + 14, y), size=26, paint=f"b-{name}-ink", bold=True)


def _draw_strip(picture: Picture, state: TunedPosition, seat: int, top: float) -> None:
    acts = state.to_move == seat
    with picture.strip(seat, _of_seat(state, seat), top=top, acts=acts) as middle:
        hand = hands(state)[seat]
        for letter, name in zip(LETTERS, KINDS, strict=True):
            found = [i for i, held in enumerate(hand) if held == letter]
            if found and acts:
                with picture.part(name, f"{count(len(found), name)} in the hand"):
                    # Whoever points between two of them means them, too.
                    box = (62 + 46 * found[0], middle - 23, 46 * len(found), 46)
                    picture.rect(box, paint="b-hand")
                    _draw_held(picture, name, found, middle)
            else:
                _draw_held(picture, name, found, middle)
        _draw_pills(picture, roosters(state)[seat], middle)


def _draw_held(picture: Picture, name: str, places: list[int], middle: float) -> None:
    for x in [85 + 46 * i for i in places]:
        box = (x - 19, middle - 19, 38, 38)
        picture.rect(box, paint=f"b-{name} b-edge", radius=7, width=1.5)
        picture.glyph(name, (x, middle), size=26, paint=f"b-{name}-ink")


def _draw_pills(picture: Picture, rooster: str | None, middle: float) -> None:
    """Draw the action symbols; the rooster covers one, and without it only "move" is left."""
    covered = {"add": 2, "move": 1, None: None}[rooster]
    for i, (word, x, width) in enumerate(_PILLS):
        if rooster is None and word == "add":
            continue
        picture.rect((x, middle - 18, width, 36), paint="b-cell b-grid", radius=18, width=1.5)
        if i == covered:
            picture.glyph("rooster", (x + width / 2, middle), size=28, paint="b-roo")
        else:
            picture.text(word, (x + width / 2, middle), size=20)


def _draw_marks(picture: Picture, state: TunedPosition) -> None:
    """Mark the last action and, over the board, the line that won."""
    lines = _complete_lines(state)
    marked = {square for line in lines for square in line}
    if state.last >= 0:
        squares = [word for word in TEXTS[state.last].split() if word in SQUARES]
        marked.add(SQUARES.index(squares[-1]))
        if state.last >= MOVES:
            picture.dashed(_box(SQUARES.index(squares[0])))
    for line in lines:
        stacks = [stack(state, square) for square in line]
        half = (_WIDTHS[LETTERS.index(stacks[0][-1])] / 2 + 2, _FLOOR / 2 + 1)
        points = [_middle(line[i], len(stacks[i]) - 1) for i in range(len(line))]
        picture.winning_line(points, half=half)
    for square in sorted(marked):
        picture.brackets(_box(square))


def _complete_lines(state: TunedPosition) -> list[tuple[int, ...]]:
    tops = (state.cats, state.dogs & ~state.cats, state.donkeys & ~state.dogs)
    return [BITS[line] for line in LINES if any(top & line == line for top in tops)]


def _of_seat(state: TunedPosition, seat: int) -> str:
    hand = " ".join(hands(state)[seat]) or "empty"
    rooster = roosters(state)[seat]
    return f"seat {seat}: hand {hand}, {f'rooster on {rooster}' if rooster else 'moves only'}"


def _ending(state: TunedPosition) -> str:
    last = "no action yet" if state.last < 0 else f"last action: {TEXTS[state.last]}"
    if state.outcome is None:
        return f"ply {state.actions}, {last}"
    ranks = state.outcome.ranks
    won = "draw" if ranks == (0, 0) else f"seat {ranks.index(0)} won"
    return f"ply {state.actions}, {last}; {won} ({state.outcome.reason})"


def _describe(state: TunedPosition) -> str:
    sentences = [_of_seat(state, 0), _of_seat(state, 1), _ending(state)]
    return " ".join(f"{sentence[0].upper()}{sentence[1:]}." for sentence in sentences)
