"""Boards drawn as sixels on the terminal; requires the extra `images`."""

from __future__ import annotations

import io
import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from rich.console import Console

from pentathlon_engines.drawing.png import draw_png

_TALLEST: Final = 40
"""The most terminal rows that a picture takes; drawing a larger one would slow stepping down."""
_PIXELS: Final = 900


@contextmanager
def _without_terminal() -> Iterator[None]:
    """Keep a package from querying the terminal at import: it would not wait long enough."""
    terminal = sys.__stdout__
    vars(sys)["__stdout__"] = None
    try:
        yield
    finally:
        vars(sys)["__stdout__"] = terminal


with _without_terminal():
    from textual_image.renderable import SixelImage

# The package would log a traceback for a terminal that does not tell the size of its letters.
logging.getLogger("textual_image").addHandler(logging.NullHandler())


class TerminalScreen:
    """Draws boards for the terminal that is standard output."""

    def draw(self, svg: str, *, lines: int = 0) -> str:
        """Return the terminal output of a board, as large as fits beside these lines of text."""
        size = os.get_terminal_size(sys.stdout.fileno())
        rows = min(max(size.lines - lines, 1), _TALLEST)
        drawn = io.StringIO()
        console = Console(file=drawn, force_terminal=True, width=size.columns, height=rows)
        console.print(
            SixelImage(io.BytesIO(draw_png(svg, width=_PIXELS)), width="auto", height="auto")
        )
        return drawn.getvalue()
