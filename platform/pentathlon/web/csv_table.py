"""Tables as CSV, sent piece by piece: a long one needs no more memory than a short one."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence

from django.http import StreamingHttpResponse

_PIECE = 64 * 1024


def csv_table(
    name: str, *, columns: Sequence[str], rows: Iterable[Sequence[object]]
) -> StreamingHttpResponse:
    """Answer with a file of this name."""
    response = StreamingHttpResponse(
        _pieces(columns, rows), content_type="text/csv; charset=utf-8"
    )
    response["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    return response


def csv_text(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table of bounded length as one text."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue()


def _pieces(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """Yield many lines at a time: each piece is compressed and sent for itself."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(columns)
    for row in rows:
        writer.writerow(row)
        if text.tell() >= _PIECE:
            yield text.getvalue()
            text.seek(0)
            text.truncate()
    yield text.getvalue()
