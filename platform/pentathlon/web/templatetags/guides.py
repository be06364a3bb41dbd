"""Tags for guides: the place of a page among them, and its contents."""

import re
from html import unescape
from typing import Any, Final

from django import template
from django.http import HttpRequest
from django.utils.html import format_html, format_html_join, strip_tags
from django.utils.safestring import SafeString
from django.utils.text import slugify

from pentathlon.web.docs.guides import Place, place_of

register = template.Library()

_HEADING: Final = re.compile(r'<h([23])(?: id="([^"]*)")?>(.*?)</h\1>', re.DOTALL)
_FEWEST: Final = 3
"""The number of parts from which on a page has its own contents."""


@register.simple_tag(takes_context=True)
def this_guide(context: dict[str, Any]) -> Place:  # Any: a template's
    """Return the place of the page that is shown."""
    request: HttpRequest = context["request"]
    return place_of(request.path)


@register.simple_block_tag(end_name="endarticle")
def article(content: str) -> SafeString:
    """Lay out a guide: its contents, then its text with an anchor at each heading."""
    parts: list[tuple[str, str]] = []

    def add_anchor(found: re.Match[str]) -> str:
        level, given, inner = found.groups()
        title = unescape(strip_tags(inner)).strip()
        anchor = given or slugify(title)
        if level == "2":
            parts.append((anchor, title))
        # The heading is HTML that a template has made already.
        return format_html(
            '<h{} id="{}">{} <a class="anchor" href="#{}" aria-label="Link to “{}”">#</a></h{}>',
            *(level, anchor, SafeString(inner), anchor, title, level),
        )

    text = SafeString(_HEADING.sub(add_anchor, content))
    return format_html(
        '<div class="guide">{}<article class="prose">{}</article></div>', _contents(parts), text
    )


def _contents(parts: list[tuple[str, str]]) -> SafeString:
    if len(parts) < _FEWEST:
        return SafeString("")
    return format_html(
        '<nav class="contents" aria-label="On this page"><p class="muted">On this page</p>'
        "<ol>{}</ol></nav>",
        format_html_join("", '<li><a href="#{}">{}</a></li>', parts),
    )
