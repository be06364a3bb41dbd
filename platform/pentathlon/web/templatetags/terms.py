"""Tags that explain the names of cards and tiles in place."""

import re
from collections.abc import Mapping
from functools import cache

from django import template
from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString, mark_safe

from pentathlon_engines import GAMES

register = template.Library()

_TERM = '<span class="term" tabindex="0">{}<span class="tip" role="tooltip">{}</span></span>'


@cache
def _terms(game: str) -> tuple[Mapping[str, str], re.Pattern[str]]:
    """Return the texts of a game's cards by name, and a pattern of the names, longest first."""
    cards = GAMES[game].commentary().cards()
    names = sorted(cards, key=len, reverse=True)
    return cards, re.compile(rf"\b(?:{'|'.join(map(re.escape, names))})\b")


@register.simple_tag
def explain_cards(sentence: str, game: str) -> SafeString:
    """Return a sentence in which each name of a card shows the card's text on hover and focus."""
    cards, pattern = _terms(game)
    if not cards:
        return conditional_escape(sentence)
    parts, end = [], 0
    for found in pattern.finditer(sentence):
        parts.append(conditional_escape(sentence[end : found.start()]))
        parts.append(format_html(_TERM, found[0], cards[found[0]]))
        end = found.end()
    parts.append(conditional_escape(sentence[end:]))
    return mark_safe("".join(parts))  # noqa: S308  # every part was escaped
