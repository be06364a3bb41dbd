"""Pages of long lists, cut by key, so that page 1,000 costs as much as page 1."""

from dataclasses import dataclass
from typing import Final, Generic, TypeVar
from urllib.parse import urlencode

from django.db.models import Model, QuerySet
from django.http import HttpRequest

from pentathlon.web.requests import query_number

Row = TypeVar("Row", bound=Model)
PLACES: Final = ("before", "after")
"""The query parameters that say where a page begins."""
_NOT_KEPT: Final = {*PLACES, "mark"}
"""Query parameters that links to other pages drop; `mark` tells what one open page has shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CursorPage(Generic[Row]):
    """Some rows of a list, newest first, and the addresses of the neighbouring pages."""

    rows: list[Row]
    newer: str
    """The query of the page with newer rows; empty if there is none."""
    older: str


def cursor_page(request: HttpRequest, rows: QuerySet[Row], *, size: int = 30) -> CursorPage[Row]:
    """Return the requested page: rows `before` or `after` an id."""
    before, after = query_number(request, "before"), query_number(request, "after")
    if after is not None:
        found = list(rows.filter(pk__gt=after).order_by("pk")[: size + 1])
        more, found = len(found) > size, found[:size][::-1]
        return _page(request, found, has_newer=more, has_older=True)
    if before is not None:
        rows = rows.filter(pk__lt=before)
    found = list(rows.order_by("-pk")[: size + 1])
    more, found = len(found) > size, found[:size]
    return _page(request, found, has_newer=before is not None, has_older=more)


def _page(
    request: HttpRequest, rows: list[Row], *, has_newer: bool, has_older: bool
) -> CursorPage[Row]:
    newer = _query(request, after=rows[0].pk) if rows and has_newer else ""
    older = _query(request, before=rows[-1].pk) if rows and has_older else ""
    return CursorPage(rows=rows, newer=newer, older=older)


def _query(request: HttpRequest, **place: int) -> str:
    kept = {key: value for key, value in request.GET.items() if key not in _NOT_KEPT}
    return "?" + urlencode({**kept, **place})
