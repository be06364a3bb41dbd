"""Tags for commands: the only way in which pages print anything to type into a shell."""

from html import unescape
from typing import Any

from django import template
from django.http import HttpRequest
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from pentathlon.core.wheel import install_line, worker_install_line
from pentathlon.web.templatetags.components import glyph

register = template.Library()


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
