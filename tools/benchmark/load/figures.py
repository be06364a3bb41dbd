"""Measured figures beside their targets, as a table or as JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Final

from rich.table import Table

from tools.benchmark.competition.demands import print_table

_WIDTH: Final = 140
"""The width of a table, with room for a column for each wait."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One measured figure."""

    name: str
    measured: dict[str, float]
    """The measured values by column."""
    verdict: float
    """The value that is judged: a ratio, or the longest wait in seconds."""
    demanded: float | None
    """The largest allowed verdict; None if the figure is shown only for comparison."""

    @property
    def is_met(self) -> bool:
        """Whether the verdict meets the demand."""
        return self.demanded is None or self.verdict <= self.demanded


def show(title: str, figures: Sequence[Figure], *, verdict: str, as_json: bool) -> int:
    """Print figures; return the exit status: 1 if one misses its demand."""
    if as_json:
        sys.stdout.write(json.dumps([asdict(figure) for figure in figures], indent=2) + "\n")
    else:
        judged = [figure.is_met for figure in figures if figure.demanded is not None]
        print_table(title, _table(title, figures, verdict), judged, width=_WIDTH)
    return 0 if all(figure.is_met for figure in figures) else 1


def _table(title: str, figures: Sequence[Figure], verdict: str) -> Table:
    table = Table(title=title)
    table.add_column("", overflow="fold")
    for column in figures[0].measured:
        table.add_column(column, justify="right")
    table.add_column(verdict, justify="right")
    table.add_column("demanded", justify="right")
    for figure in figures:
        colour = "green" if figure.is_met else "red"
        table.add_row(
            figure.name,
            *(f"{value:.2f}" for value in figure.measured.values()),
            f"[{colour}]{figure.verdict:.2f}[/]{'' if figure.is_met else ' MISSED'}",
            "" if figure.demanded is None else f"≤ {figure.demanded:g}",
        )
    return table
