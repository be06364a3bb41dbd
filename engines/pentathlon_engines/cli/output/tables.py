"""Tables for people."""

from collections.abc import Sequence
from itertools import chain

from pentathlon_engines.cli.output.streams import print_text


def print_table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a plain table, whose columns are as wide as what is in them."""
    widths = [max(map(len, column)) for column in zip(headers, *rows, strict=True)]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in chain([headers], rows)
    ]
    print_text("\n".join(lines))
