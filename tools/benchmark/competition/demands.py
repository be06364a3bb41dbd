"""Measured figures beside their targets."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from rich.console import Console
from rich.table import Table


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


def show_demands(title: str, demands: Sequence[Demand], *, as_json: bool) -> int:
    """Print figures; return the exit status: 1 if one misses its demand."""
    if as_json:
        sys.stdout.write(json.dumps([asdict(demand) for demand in demands], indent=2) + "\n")
    else:
        judged = [demand.is_met for demand in demands if demand.bounds]
        print_table(title, _table(title, demands), judged)
    return 0 if all(demand.is_met for demand in demands) else 1


def print_table(title: str, table: Table, judged: Sequence[bool], *, width: int = 110) -> None:
    """Print a table, and how many of the figures with a limit are met; `width` is for files."""
    Console(width=None if sys.stdout.isatty() else width).print(table)
    if missed := judged.count(False):
        verdict = f"{missed} of {len(judged)} figures with a limit are MISSED."
    else:
        verdict = f"all {len(judged)} figures with a limit are met."
    sys.stdout.write(f"{title}: {verdict}\n")


def _table(title: str, demands: Sequence[Demand]) -> Table:
    table = Table("", title=title)
    table.add_column("measured", justify="right")
    table.add_column("demanded", justify="right")
    table.add_column("")
    for demand in demands:
        colour = "green" if demand.is_met else "red"
        missed = "" if demand.is_met else " MISSED"
        measured = f"[{colour}]{demand.measured:.4g}[/]{missed}"
        table.add_row(demand.name, measured, demand.bounds, demand.remark)
    return table
