"""Draws boards as text for a terminal."""

from __future__ import annotations

from collections.abc import Sequence


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
