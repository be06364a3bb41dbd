"""Measured figures beside their targets: the one table, and the one verdict, of all benchmarks."""

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Final

from rich.console import Console
from rich.table import Table

_FILE_WIDTH: Final = 140
"""The width of a table that goes to a file, which has none of its own."""
_WHOLE_FROM: Final = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Demand:
    """One figure and its bounds; without bounds it is only shown."""

    name: str
    measured: float
    least: float | None = None
    most: float | None = None
    remark: str = ""
    """The number of cases, or whatever else shows how reliable the figure is."""

    @property
    def is_met(self) -> bool:
        """Whether the figure is within its bounds; one that is not a number never is."""
        is_enough = self.least is None or self.measured >= self.least
        return is_enough and (self.most is None or self.measured <= self.most)

    @property
    def bounds(self) -> str:
        """Return the bounds as people write them."""
        if self.least is not None and self.most is not None:
            return f"{self.least:g} to {self.most:g}"
        if self.least is not None:
            return f"≥ {self.least:g}"
        return "" if self.most is None else f"≤ {self.most:g}"


Figures = Sequence[Demand] | Mapping[str, Sequence[Demand]]
"""Figures with a row each, or rows of figures whose names head the columns."""


def show_demands(title: str, figures: Figures, *, as_json: bool) -> int:
    """Print figures; return the exit status: 1 if one misses its demand."""
    if isinstance(figures, Mapping):
        rows = figures
    else:
        rows = {figure.name: [replace(figure, name="measured")] for figure in figures}
    every = [figure for row in rows.values() for figure in row]
    if as_json:
        facts = {name: {one.name: asdict(one) for one in row} for name, row in rows.items()}
        sys.stdout.write(json.dumps(facts, indent=2) + "\n")
    else:
        _print_rows(title, rows)
        judged = [figure.is_met for figure in every if figure.bounds]
        missed = judged.count(False)
        verdict = f"{missed} of {len(judged)}" if missed else f"all {len(judged)}"
        ending = "MISSED" if missed else "met"
        sys.stdout.write(f"{title}: {verdict} figures with a limit are {ending}.\n")
    return 0 if all(figure.is_met for figure in every) else 1


def print_table(title: str, headings: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print rows of text; columns with a heading are for numbers."""
    table = Table(title=title)
    for heading in headings:
        table.add_column(heading, justify="right" if heading else "left", overflow="fold")
    for row in rows:
        table.add_row(*row)
    Console(width=None if sys.stdout.isatty() else _FILE_WIDTH).print(table)


def _print_rows(title: str, rows: Mapping[str, Sequence[Demand]]) -> None:
    columns = list(dict.fromkeys(figure.name for row in rows.values() for figure in row))
    lines = []
    for name, row in rows.items():
        cells = {figure.name: _cell(figure) for figure in row}
        bounds = ", ".join(dict.fromkeys(figure.bounds for figure in row if figure.bounds))
        remark = " ".join(figure.remark for figure in row)
        lines.append([name, *(cells.get(column, "") for column in columns), bounds, remark])
    print_table(title, ["", *columns, "demanded", ""], lines)


def _cell(figure: Demand) -> str:
    is_large = abs(figure.measured) >= _WHOLE_FROM
    text = f"{figure.measured:,.0f}" if is_large else f"{figure.measured:.4g}"
    if not figure.bounds:
        return text
    return f"[green]{text}[/]" if figure.is_met else f"[red]{text}[/] MISSED"
