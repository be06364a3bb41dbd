"""Pages that stand alone: one file without a single request, for any browser, kept forever."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import Final

_PAGE: Final = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; {policy}">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
{body}
{scripts}</body>
</html>
"""
SEATS: Final = 5
"""The number of seats with a colour and a shape of their own."""


def make_page(title: str, body: str, *, data: str = "", script: str = "") -> str:
    """Return a page; `body` is HTML, `script` the name of an asset, and `data` the JSON it reads.

    The content policy allows the style and the script of the page by hash, and nothing else.
    """
    style = _asset("page.css")
    policy = f"style-src {_hash_source(style)}"
    scripts = ""
    if script:
        code = _asset(script)
        policy += f"; script-src {_hash_source(code)}"
        # In JSON, "<" occurs within texts only, so it can be escaped without reading it.
        safe = data.replace("<", "\\u003c")
        scripts = f'<script type="application/json" id="data">{safe}</script>\n'
        scripts += f"<script>{code}</script>\n"
    return _PAGE.format(
        policy=policy, title=escape(title), style=style, body=body, scripts=scripts
    )


def seat_mark(seat: int) -> str:
    """Return the mark of a seat: its number on its shape; colour is never the only sign."""
    return f'<span class="mark s{seat % SEATS}" title="seat {seat}">{seat}</span>'


def scrolling(table: str, *, label: str) -> str:
    """Return a table with its own scrolling on narrow screens, by keyboard, too."""
    return f'<div class="scroll" role="region" aria-label="{label}" tabindex="0">{table}</div>'


def _asset(name: str) -> str:
    return (files("pentathlon_engines.desk") / "assets" / name).read_text(encoding="utf-8")


def _hash_source(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
