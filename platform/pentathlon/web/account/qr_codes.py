"""QR codes as drawings in a page."""

from itertools import groupby
from typing import Final

import segno
from django.utils.html import format_html
from django.utils.safestring import SafeString

_MARGIN: Final = 4
"""The white margin that readers need around a code, in modules."""
_PAPER, _INK = "#ffffff", "#000000"
"""The colours in both themes: many readers do not recognise codes that are light on dark."""


def draw_qr_code(text: str, *, label: str) -> SafeString:
    """Draw a text as a QR code."""
    rows = list(segno.make(text, error="m", micro=False).matrix_iter(border=_MARGIN))
    outline = "".join(_runs(y, bytes(row)) for y, row in enumerate(rows))
    return format_html(
        '<svg class="qr" viewBox="0 0 {0} {0}" role="img" aria-label="{1}" '
        'shape-rendering="crispEdges"><rect fill="{2}" width="{0}" height="{0}"/>'
        '<path fill="{3}" d="{4}"/></svg>',
        len(rows),
        label,
        _PAPER,
        _INK,
        outline,
    )


def _runs(y: int, row: bytes) -> str:
    """Return the outlines of the dark stretches of a row."""
    outline, x = "", 0
    for is_dark, modules in groupby(row):
        width = len(list(modules))
        if is_dark:
            outline += f"M{x} {y}h{width}v1h-{width}z"
        x += width
    return outline
