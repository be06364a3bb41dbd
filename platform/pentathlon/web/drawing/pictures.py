"""Pictures (PNG) of pages, for people who share links.

A card is an SVG of 1200 x 630 with everything inside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final

import font_manrope
import resvg_py
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from pentathlon.web.templatetags.components import glyph_path

WIDTH: Final = 1200
HEIGHT: Final = 630
_FONT: Final = "Manrope"
"""The letters come from a font that is installed with us, so pictures are the same everywhere."""
_FONT_FILES: Final = [
    str(Path(font_manrope.__file__).parent / f"files/{_FONT}-{weight}.ttf")
    for weight in ("Regular", "Bold")
]
_KEPT: Final = 48
"""How many pictures a process keeps; each has at most about 150 kB, and its card 60 kB."""
_PAPER, _TEXT, _MUTED, _ACCENT = "#f5f4f0", "#1b1d21", "#5a5d63", "#14599e"
_SEATS: Final = ("#613a99", "#fbb445", "#4f968c", "#a5170f", "#8bd0fb")
_BOARD: Final = 582
_LEFT: Final = 48
_GAP: Final = 24
_LINE_STEP: Final = 64
_LONGEST: Final = 26
"""The most letters of a line beside a board."""
_LONGEST_ALONE: Final = 44
"""The most letters of a line that has the whole width to itself."""


def match_card(
    *, board: str, game: str, names: Sequence[str], winners: Sequence[int], place: str
) -> str:
    """Return the card of a match: a position, the players, and the winner if that is told."""
    x = _BOARD + 64
    lines = [
        format_html(
            '<path transform="translate({} {}) scale(1.5)" d="{}" fill="{}"/>'
            '<text x="{}" y="{}" font-size="34" font-weight="{}">{}{}</text>',
            *(x, 198 + _LINE_STEP * seat, glyph_path(f"seat-{seat}"), _SEATS[seat]),
            *(x + 52, 228 + _LINE_STEP * seat, 700 if seat in winners else 400),
            *(fit(name, _LONGEST - 6), " won" if seat in winners else ""),
        )
        for seat, name in enumerate(names)
    ]
    text = format_html(
        '<text x="{}" y="120" font-size="48" font-weight="700">{}</text>'
        '<text x="{}" y="590" font-size="26" fill="{}">{}</text>',
        *(x, fit(game, _LONGEST), x, _MUTED, fit(place, _LONGEST + 8)),
    )
    drawn = _placed(board, x=24, y=24, side=_BOARD)
    return _card(drawn + text + SafeString("").join(lines), x=x)


def game_card(*, board: str, title: str, facts: str, rows: Sequence[tuple[str, str]]) -> str:
    """Return the card of a game: a position, a few facts, and the best bots with their ratings."""
    x = _BOARD + 64
    heads = format_html(
        '<text x="{}" y="130" font-size="48" font-weight="700">{}</text>'
        '<text x="{}" y="178" font-size="26" fill="{}">{}</text>',
        *(x, fit(title, _LONGEST), x, _MUTED, fit(facts, _LONGEST + 12)),
    )
    lines = format_html_join(
        "",
        '<text x="{}" y="{}" font-size="34">{}</text>'
        '<text x="{}" y="{}" font-size="34" text-anchor="end">{}</text>',
        (
            (x, y, fit(name, _LONGEST - 6), WIDTH - _LEFT, y, fit(number, 8))
            for y, (name, number) in zip(range(270, HEIGHT, _LINE_STEP), rows, strict=False)
        ),
    )
    return _card(_placed(board, x=24, y=24, side=_BOARD) + heads + lines, x=x)


def site_card(*, title: str, subtitle: str, boards: Sequence[tuple[str, str]]) -> str:
    """Return the card of the site: what it is, and a board of each game with its name."""
    heads = format_html(
        '<text x="{}" y="150" font-size="58" font-weight="700">{}</text>'
        '<text x="{}" y="206" font-size="26" fill="{}">{}</text>',
        *(_LEFT, fit(title, 36), _LEFT, _MUTED, fit(subtitle, 84)),
    )
    step = (WIDTH - 2 * _LEFT + _GAP) // len(boards)
    side = step - _GAP
    drawn = [
        _placed(board, x=_LEFT + step * place, y=280, side=side)
        + format_html(
            '<text x="{}" y="{}" font-size="22" text-anchor="middle">{}</text>',
            *(_LEFT + step * place + side // 2, 280 + side + 44, fit(name, 20)),
        )
        for place, (name, board) in enumerate(boards)
    ]
    return _card(heads + SafeString("").join(drawn), x=_LEFT)


def list_card(*, title: str, subtitle: str, rows: Sequence[tuple[str, str, str]]) -> str:
    """Return a card with a title and some rows: a text at the left, the name, and a number."""
    heads = format_html(
        '<text x="{}" y="130" font-size="54" font-weight="700">{}</text>'
        '<text x="{}" y="180" font-size="28" fill="{}">{}</text>',
        *(_LEFT, fit(title, 36), _LEFT, _MUTED, fit(subtitle, 64)),
    )
    lines = format_html_join(
        "",
        '<text x="{}" y="{}" font-size="34" fill="{}">{}</text>'
        '<text x="{}" y="{}" font-size="34" font-weight="700">{}</text>'
        '<text x="{}" y="{}" font-size="34" text-anchor="end">{}</text>',
        (
            (
                *(_LEFT, y, _MUTED, fit(left, 12)),
                *(_LEFT + 210, y, fit(name, _LONGEST_ALONE - 12)),
                *(WIDTH - _LEFT, y, fit(number, 16)),
            )
            for y, (left, name, number) in zip(range(260, HEIGHT, 66), rows, strict=False)
        ),
    )
    return _card(heads + lines, x=_LEFT)


@lru_cache(maxsize=_KEPT)
def draw_card(card: str) -> bytes:
    """Draw a card, once for each content; this takes some tenths of a second."""
    return bytes(
        resvg_py.svg_to_bytes(
            svg_string=card,
            width=WIDTH,
            skip_system_fonts=True,
            font_files=_FONT_FILES,
            font_family=_FONT,
            sans_serif_family=_FONT,
            monospace_family=_FONT,
        )
    )


def fit(text: str, longest: int) -> str:
    """Return a text as one line of at most so many letters, without invisible ones."""
    shown = "".join(letter if letter.isprintable() else "\ufffd" for letter in text)
    return shown if len(shown) <= longest else f"{shown[: longest - 1]}…"


def _placed(board: str, *, x: int, y: int, side: int) -> SafeString:
    """Return a drawing of an engine in a square of a card."""
    head, body = board.split(">", 1)
    head = head.replace("<svg ", f'<svg x="{x}" y="{y}" width="{side}" height="{side}" ', 1)
    # The engines escape what they draw.
    return mark_safe(f"{head}>{body}")  # noqa: S308


def _card(content: str, *, x: int) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'font-family="{_FONT}" fill="{_TEXT}"><rect width="{WIDTH}" height="{HEIGHT}" '
        f'fill="{_PAPER}"/><rect y="{HEIGHT - 8}" width="{WIDTH}" height="8" fill="{_ACCENT}"/>'
        f'<text x="{x}" y="62" font-size="26" font-weight="700" fill="{_ACCENT}">'
        f"Pentathlon</text>{content}</svg>"
    )
