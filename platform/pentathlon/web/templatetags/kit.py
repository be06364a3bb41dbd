"""Tags for guides and commands: the only way in which pages print what is typed into a shell."""

import re
from html import unescape
from typing import Any, Final

from django import template
from django.http import HttpRequest
from django.utils.html import format_html, format_html_join, strip_tags
from django.utils.safestring import SafeString
from django.utils.text import slugify

from pentathlon.core.wheel import install_line, worker_install_line
from pentathlon.web.docs.guides import Place, place_of
from pentathlon.web.templatetags.components import glyph

register = template.Library()
_HEADING: Final = re.compile(r'<h([23])(?: id="([^"]*)")?>(.*?)</h\1>', re.DOTALL)
_FEWEST: Final = 3
"""The number of parts from which on a page has its own contents."""


@register.simple_tag(takes_context=True)
def install_command(context: dict[str, Any], extra: str = "cli") -> str:  # Any: a template's
    """Return the shell command that installs the engines from this site and checks their hash."""
    request: HttpRequest = context["request"]
    return install_line(request, extra=extra)


@register.simple_tag(takes_context=True)
def worker_install_command(context: dict[str, Any]) -> str:  # Any: a template's
    """Return the shell command that installs the worker from this site and checks the hashes."""
    request: HttpRequest = context["request"]
    return worker_install_line(request)


@register.simple_tag(takes_context=True)
def site_address(context: dict[str, Any]) -> str:  # Any: a template's
    """Return the address of this site, as the reader has reached it."""
    request: HttpRequest = context["request"]
    return f"{request.scheme}://{request.get_host()}"


@register.simple_block_tag(end_name="endscript")
def script(content: str, name: str) -> SafeString:
    """Lay out a file that holds commands, with its name and a button that copies it.

    A test checks that its commands and their options exist.
    """
    text = unescape(content.strip("\n"))
    return format_html(
        '<p class="small muted"><code>{}</code></p><div class="code">'
        '<pre tabindex="0">{}</pre><button class="button" type="button" data-copy="{}" hidden>'
        '{}<span class="hide">Copy {}</span></button></div>',
        *(name, text, f"{text}\n", glyph("copy"), name),
    )


@register.simple_block_tag(end_name="endshell")
def shell(content: str) -> SafeString:
    """Lay out commands, one per line, with a button that copies all of them.

    A test runs every command that is printed in this way.
    """
    commands = [unescape(line.strip()) for line in content.splitlines() if line.strip()]
    lines = format_html_join(
        "\n", '<span class="prompt">$ </span>{}', ((command,) for command in commands)
    )
    return format_html(
        '<div class="code"><pre tabindex="0" data-commands>{}</pre>'
        '<button class="button" type="button" data-copy="{}" hidden>{}'
        '<span class="hide">Copy the command{}</span></button></div>',
        lines,
        " && ".join(commands),
        glyph("copy"),
        "" if len(commands) == 1 else "s",
    )


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
