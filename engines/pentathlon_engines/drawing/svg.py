"""Draws boards as standalone SVG, with the shapes that all games share.

Every shape has a class and, as attributes, the values of that class in the light theme: the style
sheet of a page may override the class, while a file or a notebook shows the light board. Boards
have no ids, style elements or fonts, so a page can show many of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from html import escape
from itertools import pairwise
from math import inf
from typing import Final

from pentathlon_engines.light_json import read_data

WIDTH: Final = 600
STRIP_HEIGHT: Final = 56

_PALETTE: Final[dict[str, dict[str, str]]] = read_data(__file__, "palette.json")
_GLYPHS: Final[dict[str, str]] = read_data(__file__, "glyphs.json")
_GLYPH_GRID: Final = 24
_LONG: Final = 900
"""The height above which a picture need not fit on a screen: people scroll through it."""
_MARGIN: Final = 12
_USUAL_SIZE: Final = 20
"""The font size of texts without an attribute for it."""
_TRIANGLE: Final = 2
"""The seat with a triangle, in which a number stands a little lower."""
_ROUND: Final = {0: 19}
_BOXES: Final = {1: (18, 2.5)}
"""The boxes of seats (side, corner radius); `_ROUND` has the discs (diameter). As a circle or
rectangle, they need half the text of a path."""
_SANS: Final = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', Arial, sans-serif"

Box = tuple[float, float, float, float]
"""Left, top, width and height."""
Point = tuple[float, float]


def tops_for(viewer: int | None, tops: tuple[int, int]) -> tuple[int, int]:
    """Return the tops of the strips of two seats, the first at the bottom; a viewer's is there.

    >>> tops_for(None, (642, 10)), tops_for(1, (642, 10))
    ((642, 10), (10, 642))
    """
    bottom, top = tops
    return (top, bottom) if viewer == 1 else tops


def number(value: float) -> str:
    """Return a coordinate with at most one decimal.

    >>> number(12.04), number(1 / 3), number(-0.01)
    ('12', '0.3', '0')
    """
    rounded = round(value, 1)
    return f"{rounded:g}" if rounded else "0"


class Picture:
    """A board to which calls add shapes, one above the other.

    `paint` is one or more classes of `palette.json`; without a fill class a shape stays hollow.
    """

    def __init__(self, *, height: float, field: Box) -> None:
        self._height = height
        self._field = field
        self._parts: list[str] = []
        self._anchor = "middle"
        self.rect((0, 0, WIDTH, height), paint="b-table", radius=14)

    def document(self, *, title: str, description: str) -> str:
        """Return the finished picture."""
        shape = "tall" if self._height > WIDTH else "wide"
        if self._height > _LONG:
            shape += " long"
        field = " ".join(number(value) for value in self._field)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {number(self._height)}"'
            f' class="board {shape}" data-field="{field}" role="img" font-family="{_SANS}"'
            f' fill="none" fill-rule="evenodd" font-size="{_USUAL_SIZE}" text-anchor="middle">'
            f"<title>{escape(title)}</title><desc>{escape(description)}</desc>"
            f"{''.join(self._parts)}</svg>"
        )

    @contextmanager
    def cell(self, name: str, title: str) -> Iterator[None]:
        """Group the shapes on a cell; a pointer above them shows the title."""
        self._open(f'data-cell="{escape(name)}"', title)
        yield
        self._parts.append("</g>")

    @contextmanager
    def strip(self, seat: int, title: str, *, top: float, acts: bool) -> Iterator[float]:
        """Group the strip of a seat with its mark; yield the height of its middle line."""
        self._open(f'data-seat="{seat}"', title)
        box = (_MARGIN, top, WIDTH - 2 * _MARGIN, STRIP_HEIGHT)
        self.rect(box, paint="b-hand", radius=10)
        if acts:
            x = _MARGIN + 3.5
            self.line([(x, top + 3.5), (x, top + STRIP_HEIGHT - 3.5)], paint="b-last", width=7)
        middle = top + STRIP_HEIGHT / 2
        self.seat_piece(seat, (46, middle), size=24, inside=str(seat))
        yield middle
        self._parts.append("</g>")

    @contextmanager
    def part(self, name: str, title: str) -> Iterator[None]:
        """Group the shapes of another thing that an action may name, such as a die."""
        self._open(f'data-mark="{escape(name)}"', title)
        yield
        self._parts.append("</g>")

    @contextmanager
    def card(self, name: str, title: str) -> Iterator[None]:
        """Group the shapes of a card; most texts of a card start at the same place."""
        self._open(f'data-card="{escape(name)}" text-anchor="start"', title)
        self._anchor = "start"
        yield
        self._anchor = "middle"
        self._parts.append("</g>")

    @contextmanager
    def seat(self, seat: int, title: str) -> Iterator[None]:
        """Group the shapes of a seat that has no strip."""
        self._open(f'data-seat="{seat}"', title)
        yield
        self._parts.append("</g>")

    def _open(self, attribute: str, title: str) -> None:
        self._parts.append(f"<g {attribute}><title>{escape(title)}</title>")

    def rect(
        self, box: Box, *, paint: str, radius: float = 0, width: float = 0, dash: str = ""
    ) -> None:
        """Draw a rectangle; `width` is the width of its stroke."""
        x, y, w, h = (number(value) for value in box)
        corner = f' rx="{number(radius)}"' if radius else ""
        self._parts.append(
            f'<rect x="{x}" y="{y}" width="{w}" height="{h}"{corner}{_paint(paint, width, dash)}/>'
        )

    def polygons(self, shapes: Sequence[Sequence[Point]], *, paint: str) -> None:
        """Draw filled polygons as one path."""
        path = "".join(
            f"M{number(corners[0][0])} {number(corners[0][1])}"
            + "".join(_step(x2 - x1, y2 - y1) for (x1, y1), (x2, y2) in pairwise(corners))
            + "z"
            for corners in shapes
        )
        self._parts.append(f'<path d="{path}"{_paint(paint)}/>')

    def dots(self, middles: Sequence[Point], *, size: float, paint: str) -> None:
        """Draw discs of one diameter as one path."""
        across = number(size)
        half = f"{number(size / 2)} {number(size / 2)} 0 1 0"
        path = "".join(
            f"M{number(x - size / 2)} {number(y)}a{half} {across} 0 {half}-{across} 0z"
            for x, y in middles
        )
        self._parts.append(f'<path d="{path}"{_paint(paint)}/>')

    def disc(self, at: Point, *, size: float, paint: str, width: float = 0) -> None:
        """Draw a disc, or a ring if the paint has no fill."""
        x, y, radius = number(at[0]), number(at[1]), number(size / 2)
        self._parts.append(f'<circle cx="{x}" cy="{y}" r="{radius}"{_paint(paint, width)}/>')

    def line(self, points: Sequence[Point], *, paint: str, width: float) -> None:
        """Draw an open line through the points, with round ends."""
        path = "L".join(f"{number(x)} {number(y)}" for x, y in points)
        self._parts.append(
            f'<path d="M{path}"{_paint(paint, width)} stroke-linecap="round"'
            ' stroke-linejoin="round"/>'
        )

    def text(
        self,
        content: str,
        at: Point,
        *,
        size: float = _USUAL_SIZE,
        paint: str = "bt",
        anchor: str = "middle",
        bold: bool = False,
    ) -> None:
        """Write a text, vertically centred on the point."""
        x, y = number(at[0]), number(at[1] + 0.35 * size)
        weight = ' font-weight="700"' if bold else ""
        side = f' text-anchor="{anchor}"' if anchor != self._anchor else ""
        height = f' font-size="{number(size)}"' if size != _USUAL_SIZE else ""
        self._parts.append(
            f'<text x="{x}" y="{y}"{height}{side}{weight}{_paint(paint)}>{escape(content)}</text>'
        )

    def paragraph(self, said: Sequence[str], at: Point, *, size: float, leading: float) -> None:
        """Write lines below each other; the first starts at the point."""
        x, y = number(at[0]), number(at[1] + 0.35 * size)
        first, *others = (escape(line) for line in said)
        below = "".join(f'<tspan x="{x}" dy="{number(leading)}">{line}</tspan>' for line in others)
        side = ' text-anchor="start"' if self._anchor != "start" else ""
        self._parts.append(
            f'<text x="{x}" y="{y}" font-size="{number(size)}"{side}{_paint("bt")}>'
            f"{first}{below}</text>"
        )

    def glyph(
        self, name: str, at: Point, *, size: float, paint: str, turn: float = 0, width: float = 0
    ) -> None:
        """Draw a glyph of `glyphs.json`, centred, turned clockwise by degrees."""
        stroke = width * _GLYPH_GRID / size
        self._parts.append(
            f'<path d="{_GLYPHS[name]}"{_place(at, size, turn)}{_paint(paint, stroke)}/>'
        )

    def drop(self, name: str, letter: str, at: Point, *, size: float = 30) -> None:
        """Draw a drop of qi with its letter; `name` is its colour in the palette."""
        unit = _GLYPH_GRID / size
        outline = _GLYPHS["qi"].partition("Z")[0] + "Z"  # without the gleam, where the letter is
        self._parts.append(
            f'<path d="{outline}"{_place(at, size)}{_paint(f"qi-{name} qi-edge", 1.5 * unit)}/>'
        )
        self.text(letter, (at[0], at[1] + 0.12 * size), size=16, paint=f"qi-{name}-ink", bold=True)

    def seat_piece(self, seat: int, at: Point, *, size: float, inside: str = "") -> None:
        """Draw the shape of a seat with a halo, and a short text inside."""
        for paint, width in (("b-halo", 4.4), (f"seat-{seat} b-edge", 2)):
            self._seat_shape(seat, at, size=size, paint=paint, width=width)
        if inside:
            lower = 2 * size / _GLYPH_GRID if seat == _TRIANGLE else 0
            middle = (at[0], at[1] + lower)
            self.text(inside, middle, size=17, paint=f"seat-{seat}-ink", bold=True)

    def _seat_shape(self, seat: int, at: Point, *, size: float, paint: str, width: float) -> None:
        unit = size / _GLYPH_GRID
        if seat in _ROUND:
            self.disc(at, size=_ROUND[seat] * unit, paint=paint, width=width)
            return
        if seat in _BOXES:
            side, radius = (length * unit for length in _BOXES[seat])
            box = (at[0] - side / 2, at[1] - side / 2, side, side)
            self.rect(box, paint=paint, radius=radius, width=width)
            return
        self._parts.append(
            f'<path d="{_GLYPHS[f"seat-{seat}"]}"{_place(at, size)}'
            f'{_paint(paint, width / unit)} stroke-linejoin="round"/>'
        )

    def coordinates(
        self, columns: str, rows: str, *, size: float, columns_at: float | None = None
    ) -> None:
        """Write the names of rows (top row first) left of the field and of columns below it.

        `columns_at` is another height for the names of the columns.
        """
        x, y, _, height = self._field
        line = y + height + 19 if columns_at is None else columns_at
        for i, name in enumerate(columns):
            self.text(name, (x + size * (i + 0.5), line), paint="bm")
        for i, name in enumerate(rows):
            self.text(name, (x - 23, y + size * (i + 0.5)), paint="bm")

    def brackets(self, box: Box) -> None:
        """Mark a cell with four corner brackets: the target of the last action, or a line."""
        x, y, w, h = box
        arm = 0.26 * w
        left, top, right, bottom = x + 3, y + 3, x + w - 3, y + h - 3
        corners = ((left, top, 1, 1), (right, top, -1, 1), (left, bottom, 1, -1))
        path = "".join(
            f"M{number(cx + dx * arm)} {number(cy)}H{number(cx)}V{number(cy + dy * arm)}"
            for cx, cy, dx, dy in (*corners, (right, bottom, -1, -1))
        )
        self._parts.append(f'<path d="{path}"{_paint("b-last", 5)}/>')

    def dashed(self, box: Box) -> None:
        """Mark a cell with a dashed frame: where the last action came from."""
        x, y, w, h = box
        inner = (x + 3, y + 3, w - 6, h - 6)
        self.rect(inner, paint="b-last", radius=6, width=3.5, dash="9 7")

    def winning_line(self, points: Sequence[Point], *, half: Point) -> None:
        """Join pieces of a line; each half segment starts at the edge of its piece.

        `half` is half the width and height of a piece, so the line seems to run below the pieces.
        """
        for (x1, y1), (x2, y2) in pairwise(points):
            dx, dy = x2 - x1, y2 - y1
            gap = min(half[0] / abs(dx) if dx else inf, half[1] / abs(dy) if dy else inf)
            start = (x1 + gap * dx, y1 + gap * dy)
            end = (x2 - gap * dx, y2 - gap * dy)
            if gap < 0.5:  # noqa: PLR2004  # else touching pieces hide it
                self.line([start, end], paint="b-last", width=8)


def _step(x: float, y: float) -> str:
    """Return a straight edge of a path to a relative point."""
    right, down = number(x), number(y)
    if down == "0":
        return f"h{right}"
    if right == "0":
        return f"v{down}"
    return f"l{right}{down}" if down.startswith("-") else f"l{right} {down}"


def _place(at: Point, size: float, turn: float = 0) -> str:
    """Return the attribute that moves a glyph to its place."""
    scale = f"scale({size / _GLYPH_GRID:.3g})"
    if turn:
        half = _GLYPH_GRID // 2
        x, y = number(at[0]), number(at[1])
        turned = f"translate({x} {y}) rotate({number(turn)}) {scale} translate(-{half} -{half})"
        return f' transform="{turned}"'
    left, top = number(at[0] - size / 2), number(at[1] - size / 2)
    return f' transform="translate({left} {top}) {scale}"'


def _paint(classes: str, width: float = 0, dash: str = "") -> str:
    """Return the class with its light values, as attributes."""
    values: dict[str, str] = {}
    for name in classes.split():
        values |= _PALETTE[name]
    if width and number(width) != "1":
        values["stroke-width"] = number(width)
    if dash:
        values["stroke-dasharray"] = dash
    attributes = "".join(f' {name}="{value}"' for name, value in values.items())
    return f' class="{classes}"{attributes}'
