"""Print results to standard output, and everything else to standard error."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

import typer
from rich.console import Console
from rich.table import Table

LOG_LINES: Final = 10


def print_json(data: object) -> None:
    """Print one JSON document, the only thing on standard output."""
    typer.echo(json.dumps(data, ensure_ascii=False, indent=2))


def print_table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a plain table."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for header in headers:
        table.add_column(header, overflow="fold")
    for row in rows:
        table.add_row(*row)
    Console(highlight=False, markup=False).print(table)


def say(text: str) -> None:
    """Print a line for people to standard error."""
    Console(stderr=True, highlight=False, markup=False, soft_wrap=True).print(text)


def show_log(log: bytes, notes: Sequence[tuple[int, str]]) -> None:
    """Print the last note and the end of the log of one bot to standard error."""
    lines = log.decode(errors="replace").splitlines()[-LOG_LINES:]
    for line in [text for _, text in notes[-1:]] + lines:
        say(f"  {line}")
