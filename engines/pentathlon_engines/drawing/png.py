"""Draws boards and other SVG as PNG; this needs the extra `images`.

The letters come from a font that is installed with us, so pictures are the same everywhere.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import font_manrope
import resvg_py

FONT: Final = "Manrope"

_FOLDER: Final = Path(font_manrope.__file__).parent / "files"
_FILES: Final = [str(_FOLDER / f"{FONT}-{weight}.ttf") for weight in ("Regular", "Bold")]


def draw_png(svg: str, *, width: int) -> bytes:
    """Return the picture at a width in pixels; this takes some tenths of a second."""
    return bytes(
        resvg_py.svg_to_bytes(
            svg_string=svg,
            width=width,
            skip_system_fonts=True,
            font_files=_FILES,
            font_family=FONT,
            sans_serif_family=FONT,
            monospace_family=FONT,
        )
    )
