"""Boards on pages: thumbnails, and boards by game when there is no match to show."""

import re
from random import Random

from django.utils.safestring import SafeString, mark_safe

from pentathlon_engines import CHANCE, GAMES

_VIEW_BOX = re.compile(r'viewBox="[^"]*"')
_FIELD = re.compile(r'data-field="([^"]*)"')
_SAID = re.compile(r' (?:role|aria-label|aria-labelledby)="[^"]*"')
_TITLES = re.compile(r"<(title|desc)>.*?</\1>", re.DOTALL)


def inline_board(svg: str) -> SafeString:
    """Return a drawing of an engine as part of a page."""
    # The engines escape what they draw, and the content policy forbids scripts in pages.
    return mark_safe(svg)  # noqa: S308


def thumbnail(svg: str) -> SafeString:
    """Return the playing area of a drawing alone, as decoration."""
    head, body = svg.split(">", 1)
    field = _FIELD.search(head)
    if field:
        head = _VIEW_BOX.sub(f'viewBox="{field[1]}"', head)
    head = _SAID.sub("", head)
    return inline_board(f'{head} aria-hidden="true">{_TITLES.sub("", body)}')


def start_board(game: str) -> str:
    """Draw a position that a match of this game may begin with, always the same one."""
    state, luck = GAMES[game].start(), Random(0)
    while state.to_move == CHANCE:
        state.apply_chance(state.sample_chance(luck))
    return state.svg()
