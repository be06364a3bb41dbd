"""`manage.py retention`: show how long data is kept, its size, and what is due for deletion."""

import json
from argparse import ArgumentParser
from datetime import timedelta
from typing import IO, Any, cast

from django.core.management.base import BaseCommand
from rich.console import Console
from rich.filesize import decimal
from rich.table import Table

from pentathlon.operations.retention import Holding, forget_all, other_holdings, read_holdings
from pentathlon_engines.commentary.words import count

_MOST_TABLES = 12


class Command(BaseCommand):
    """Shows what is kept, and deletes due rows if asked to; the reconciler does so anyway."""

    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the options to delete and to print JSON."""
        parser.add_argument("--apply", action="store_true", help="delete everything that is due")
        parser.add_argument("--json", action="store_true", help="print JSON")

    def handle(self, *args: Any, **options: Any) -> None:  # Any: Django's own signature
        """Print the table; with `--apply`, delete first."""
        gone = forget_all() if options["apply"] else None
        holdings, others = read_holdings(), other_holdings()
        if options["json"]:
            told = {"classes": [_to_json(each) for each in holdings], "kept": dict(others)}
            self.stdout.write(json.dumps({**told, "deleted": gone}, indent=2))
            return
        # Output that goes to no terminal gets a fixed width.
        width = None if self.stdout.isatty() else 110
        console = Console(file=cast("IO[str]", self.stdout), width=width)
        console.print(_table(holdings))
        if others:
            console.print(_kept_for_ever(others))
        if gone is None:
            due = sum(each.due for each in holdings)
            console.print(
                f"{count(due, 'row')} due. The reconciler deletes them a few at a time; --apply "
                "deletes all of them now."
            )
        else:
            console.print(f"{count(gone, 'row')} deleted.")


def _to_json(holding: Holding) -> dict[str, Any]:  # Any: JSON
    kept = holding.kind.kept
    return {
        "key": holding.kind.key,
        "kept_s": None if kept is None else kept.total_seconds(),
        "rows": holding.rows,
        "bytes": holding.size,
        "due": holding.due,
    }


def _table(holdings: list[Holding]) -> Table:
    table = Table(title="Kept for a while")
    for title in ("What", "Kept for", "Rows", "Takes", "Due"):
        table.add_column(title, justify="left" if title in {"What", "Kept for"} else "right")
    for each in holdings:
        size = "?" if each.size is None else decimal(each.size)
        kept = _in_words(each.kind.kept)
        table.add_row(each.kind.holds, kept, f"{each.rows:,}", size, f"{each.due:,}")
    return table


def _kept_for_ever(others: list[tuple[str, int]]) -> Table:
    table = Table(title="Kept forever, the largest tables")
    table.add_column("Table")
    table.add_column("Takes", justify="right")
    for name, size in others[:_MOST_TABLES]:
        table.add_row(name, decimal(size))
    table.add_row("all", decimal(sum(size for _, size in others)))
    return table


def _in_words(kept: timedelta | None) -> str:
    if kept is None:
        return "ever"
    if not kept:
        return "not at all"
    return count(kept.days, "day") if kept.days else count(kept.seconds // 3600, "hour")
