"""Cards of Tash-Kalar as pictures: a pattern as a small grid, the rank, the effect in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from pentathlon_engines.drawing.svg import WIDTH, Box, Picture, Point
from pentathlon_engines.drawing.terminal import lines
from pentathlon_engines.tash_kalar.board import DIRECTIONS
from pentathlon_engines.tash_kalar.cards.catalogue import card_data

_LEFT: Final = 12
_PADDING: Final = 9
_GRID: Final = 80
"""The side of the square in which a pattern must fit."""
_CELL: Final = 22
_SIZE: Final = 17
_LINE: Final = 20
_NAME: Final = 26
_TEXT_AT: Final = _LEFT + _PADDING + _GRID + 14
_TEXT_WIDTH: Final = WIDTH - _LEFT - _PADDING - _TEXT_AT
_INDENT: Final = 22
_MORE_TEXTS: Final = {"frozen_text": "Frozen", "warp_text": "Warp"}


def card_height(name: str) -> float:
    """Return the height of a drawn card."""
    data = card_data(name)
    if "upper" in data:
        halves = sum(len(said) for _, said in _halves(data))
        return _NAME + _LINE * halves + 2 * _PADDING
    return max(_GRID, _NAME + _LINE * len(_lines(data))) + 2 * _PADDING


def draw_card(
    picture: Picture, name: str, *, top: float, height: float = 0, note: str = ""
) -> None:
    """Draw a being with its pattern and effect, or a flare with both its halves.

    The face is at least `height` high; the note is a few letters for its upper right corner.
    """
    data = card_data(name)
    height = max(height, card_height(name))
    rank = "flare" if "upper" in data else data["rank"]
    with picture.card(name, f"{data['name']}, {rank}"):
        box = (_LEFT, top, WIDTH - 2 * _LEFT, height)
        picture.rect(box, paint="b-cell b-edge", radius=8, width=1.5)
        if note:
            corner = (WIDTH - _LEFT - _PADDING, top + _PADDING + _NAME / 2)
            picture.text(note, corner, paint="bm", anchor="end")
        sign = (_LEFT + _PADDING, top, _GRID, height)
        if "upper" in data:
            _draw_flare(picture, data, sign)
        else:
            _draw_being(picture, data, sign)


def _draw_being(picture: Picture, data: dict[str, Any], sign: Box) -> None:
    _draw_pattern(picture, data["pattern"], sign)
    line = sign[1] + _PADDING + _NAME / 2
    picture.glyph(data["rank"], (_TEXT_AT + 8, line), size=20, paint="bt")
    picture.text(data["name"], (_TEXT_AT + 24, line), anchor="start", bold=True)
    _write(picture, _lines(data), (_TEXT_AT, line + _NAME))


def _draw_flare(picture: Picture, data: dict[str, Any], sign: Box) -> None:
    left, top, width, height = sign
    picture.glyph("flare", (left + width / 2, top + height / 2), size=48, paint="b-wis")
    line = top + _PADDING + _NAME / 2
    picture.text(f"Flare {data['name']}", (_TEXT_AT, line), anchor="start", bold=True)
    line += _NAME
    for rank, said in _halves(data):
        picture.glyph(rank, (_TEXT_AT + 6, line), size=18, paint="bt")
        _write(picture, said, (_TEXT_AT + _INDENT, line))
        line += _LINE * len(said)


def _halves(data: dict[str, Any]) -> Iterator[tuple[str, list[str]]]:
    """Yield for each half the sign of the pieces that it counts, and its lines of text (9.1)."""
    for half, rank, counted in (("upper", "heroic", "upgraded"), ("lower", "common", "pieces")):
        said = f"{data[half]['need']}+ {counted} behind: {data[half]['text']}"
        yield rank, lines(said, size=_SIZE, width=_TEXT_WIDTH - _INDENT)


def _lines(data: dict[str, Any]) -> list[str]:
    texts = [data["text"]]
    texts += [f"{word}: {data[name]}" for name, word in _MORE_TEXTS.items() if name in data]
    return [line for text in texts for line in lines(text, size=_SIZE, width=_TEXT_WIDTH)]


def _write(picture: Picture, said: list[str], at: Point) -> None:
    picture.paragraph(said, at, size=_SIZE, leading=_LINE)


def _draw_pattern(picture: Picture, rows: list[str], box: Box) -> None:
    """Draw a pattern in the middle of a box, with the largest cells that fit."""
    grid = [row.split() for row in rows]
    side = min(_CELL, _GRID / len(grid[0]), _GRID / len(grid))
    left = box[0] + (box[2] - side * len(grid[0])) / 2
    top = box[1] + (box[3] - side * len(grid)) / 2
    cells = [
        ((left + side * (column + 0.5), top + side * (row + 0.5)), token)
        for row, tokens in enumerate(grid)
        for column, token in enumerate(tokens)
    ]
    picture.polygons([_square(at, side - 2) for at, _ in cells], paint="b-cell2")
    _draw_dots(picture, cells, side)
    for at, token in cells:
        _draw_token(picture, token, at, side=side)


def _square(at: Point, side: float) -> list[Point]:
    left, top = at[0] - side / 2, at[1] - side / 2
    return [(left, top), (left + side, top), (left + side, top + side), (left, top + side)]


def _draw_dots(picture: Picture, cells: list[tuple[Point, str]], side: float) -> None:
    """Draw the dots of commons and the small dots of marked cells, one kind at a time."""
    commons = [at for at, token in cells if token.strip("@*") == "c"]
    marks = [_corner(at, token, side) for at, token in cells if token.count("*") == 1]
    for middles, share, paint in ((commons, 0.4, "bt"), (marks, 0.2, "b-wis")):
        if middles:
            picture.dots(middles, size=share * side, paint=paint)


def _corner(at: Point, token: str, side: float) -> Point:
    """Return the place of a cell's mark: below a piece, if the cell requires one."""
    aside = 0.34 * side if token.strip("*") else 0
    return at[0] + aside, at[1] + aside


def _draw_token(picture: Picture, token: str, at: Point, *, side: float) -> None:
    """Draw the other requirements of a cell: frame, chevron, double mark, direction."""
    if token.startswith(">"):
        turn = 45 * DIRECTIONS.index(token[1:])
        picture.glyph("support", at, size=side, paint="bm", turn=turn)
    if token.startswith("@"):
        frame = (at[0] - side / 2 + 2, at[1] - side / 2 + 2, side - 4, side - 4)
        picture.rect(frame, paint="b-last", radius=3, width=3)
    if token.strip("@*") == "h":
        picture.glyph("heroic", at, size=0.72 * side, paint="bt")
    if "**" in token:
        ring = _corner(at, token, side)
        picture.disc(ring, size=0.26 * side, paint="b-grid", width=1.5)
