"""Tags that explain the names of cards and tiles where they stand."""

import re
from functools import cache

from django import template
from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString, mark_safe

from pentathlon_engines import GAMES

register = template.Library()

_TERM = '<span class="term" tabindex="0">{}<span class="tip" role="tooltip">{}</span></span>'


@cache
def _names(game: str) -> re.Pattern[str] | None:
    """Return what finds the names of a game's cards in a sentence, the longest first."""
    names = sorted(GAMES[game].commentary().cards(), key=len, reverse=True)
    if not names:
        return None
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, names))})\b")


@register.simple_tag
def explain_cards(sentence: str, game: str) -> SafeString:
    """Write a sentence in which each name of a card shows its text under pointer and focus."""
    pattern = _names(game)
    if pattern is None:
        return conditional_escape(sentence)
    cards = GAMES[game].commentary().cards()
    parts, end = [], 0
    for found in pattern.finditer(sentence):
        parts.append(conditional_escape(sentence[end : found.start()]))
        name = found[0]
        parts.append(format_html(_TERM, name, cards[name]))
        end = found.end()
    parts.append(conditional_escape(sentence[end:]))
    return mark_safe("".join(parts))  # noqa: S308  # every part was escaped
