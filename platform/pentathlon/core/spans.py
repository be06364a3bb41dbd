"""Rows by the time at which they were made, found by their ids.

Ids grow with time, so the ids about a moment are found by halving: some ten reads of the primary
key in a table of a million rows. An index of times would cost every insert, and a database that
sorts by id would still read past all rows outside of a span.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Final, TypeVar

from django.db.models import Model, QuerySet

T = TypeVar("T", bound=Model)

_SLACK: Final = timedelta(minutes=1)
"""How far the times of rows may be out of the order of their ids, since statements run at once."""
_NEAR: Final = 1024
"""The most ids that a query may read past: to halve further would cost more than to read them."""


def made_since(rows: QuerySet[T], moment: datetime) -> QuerySet[T]:
    """Return the rows that were made at this moment or later."""
    first, _ = _around(rows, moment - _SLACK)
    return rows.filter(pk__gte=first, created_at__gte=moment)


def made_before(rows: QuerySet[T], moment: datetime) -> QuerySet[T]:
    """Return the rows that were made before this moment."""
    _, end = _around(rows, moment + _SLACK)
    return rows.filter(pk__lt=end, created_at__lt=moment)


def _around(rows: QuerySet[T], moment: datetime) -> tuple[int, int]:
    """Return two close ids that enclose the first row made at a moment or later."""
    # Any: a query whose model is known at run time only.
    times: Any = rows.model._base_manager.order_by("pk").values_list("pk", "created_at")
    newest = times.last()
    if newest is None:
        return 0, 0
    low, high = 0, newest[0] + 1
    while high - low > _NEAR:
        middle = (low + high) // 2
        found = times.filter(pk__gte=middle, pk__lt=high).first()
        if found is None or found[1] >= moment:
            high = middle
        else:
            low = found[0] + 1
    return low, high
