"""Draws boards as text for a terminal, and breaks text into lines of a picture.

Break texts into lines for pictures whose fonts are unknown.

The widths are those of a wide font; in others the lines are a little shorter.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

_WIDTHS: Final = (
    dict.fromkeys(" iljI.,:;'|!()-", 0.36)
    | dict.fromkeys("frt", 0.41)
    | dict.fromkeys("mwMWO+", 0.9)
)
_USUAL: Final = 0.62


def grid(columns: str, rows: str, cells: Sequence[str]) -> str:
    """Return a board as lines of text, the top row first; an empty cell is a dot.

    >>> print(grid("ab", "12", ["DG", "", "", "C"]))
        a   b
    1   DG  .
    2   .   C
    """
    width = max(len(cell) for cell in (*cells, *columns)) + 2
    heads = "".join(name.ljust(width) for name in columns)
    lines = ["    " + heads]
    for i, row in enumerate(rows):
        line = cells[i * len(columns) : (i + 1) * len(columns)]
        lines.append(row.ljust(4) + "".join((cell or ".").ljust(width) for cell in line))
    return "\n".join(line.rstrip() for line in lines)


def width_of(text: str, *, size: float) -> float:
    """Estimate the largest width of a text.

    >>> width_of("ill", size=100), width_of("mom", size=100)
    (108.0, 242.0)
    """
    return round(size * sum(_WIDTHS.get(letter, _USUAL) for letter in text), 1)


def lines(text: str, *, size: float, width: float) -> list[str]:
    """Break a text into lines between its words, each as full as it can be.

    >>> lines("Gain one action.", size=20, width=90)
    ['Gain one', 'action.']
    """
    found: list[str] = []
    for word in text.split():
        longer = f"{found[-1]} {word}" if found else word
        if found and width_of(longer, size=size) <= width:
            found[-1] = longer
        else:
            found.append(word)
    return found
