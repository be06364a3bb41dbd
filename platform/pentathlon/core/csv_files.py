"""Tables as CSV, for spreadsheets and programs."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from django.http import StreamingHttpResponse

_PIECE = 64 * 1024
_FORMULAS: Final = ("=", "+", "-", "@", "\t", "\r")
"""Characters at the start of a text that spreadsheets take for a formula."""


def csv_table(
    name: str, *, columns: Sequence[str], rows: Iterable[Sequence[object]]
) -> StreamingHttpResponse:
    """Return a table as a file of this name, sent piece by piece.

    A long table needs no more memory than a short one.
    """
    response = StreamingHttpResponse(
        _pieces(columns, rows), content_type="text/csv; charset=utf-8"
    )
    response["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    return response


def csv_text(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a short table as one text."""
    return "".join(_pieces(columns, rows))


def _pieces(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """Yield pieces of many lines each, since the server compresses and sends every piece."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(columns)
    for row in rows:
        writer.writerow(map(_cell, row))
        if text.tell() >= _PIECE:
            yield text.getvalue()
            text.seek(0)
            text.truncate()
    yield text.getvalue()


def _cell(value: object) -> object:
    """Return a value that no spreadsheet takes for a formula, since people choose names freely."""
    is_formula = isinstance(value, str) and value.startswith(_FORMULAS)
    return f"'{value}" if is_formula else value
