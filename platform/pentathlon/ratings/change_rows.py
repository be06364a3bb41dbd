"""Stored rating changes as plain tuples: a million of them are compared and written in seconds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from django.db import connection

from pentathlon.ratings.book import Change, is_landmark
from pentathlon.ratings.models import Pool, RatingChange

FIELDS: Final = (
    "row_id",
    "seat",
    "version_id",
    "rank",
    "mu_before",
    "sigma_before",
    "mu_after",
    "sigma_after",
    "nth",
)

ChangeRow = tuple[int, int, int, int, float, float, float, float, int | None]
"""One change: the columns of `FIELDS`."""


def change_row(row_id: int, change: Change) -> ChangeRow:
    """Return the line that a change of a ledger row is stored as."""
    before, after = change.before, change.after
    return (
        row_id,
        change.seat,
        change.version_id,
        change.rank,
        before.mu,
        before.sigma,
        after.mu,
        after.sigma,
        change.nth if is_landmark(change.nth) else None,
    )


def stored_rows(pool: Pool, *, first: int, last: int) -> dict[tuple[int, ...], ChangeRow]:
    """Return the changes stored for ledger rows with these sequence numbers, by row and seat."""
    changes = RatingChange.objects.filter(row__pool=pool, row__seq__range=(first, last))
    return {line[:2]: line for line in changes.values_list(*FIELDS)}


def replace_rows(pool: Pool, *, first: int, last: int, lines: Sequence[ChangeRow]) -> None:
    """Store these changes in the place of all that ledger rows in this range had."""
    old = RatingChange.objects.filter(row__pool=pool, row__seq__range=(first, last))
    old.delete()
    insert_rows(lines)


def insert_rows(lines: Iterable[ChangeRow]) -> None:
    """Store changes, in the way of the database that costs least."""
    table, columns = RatingChange._meta.db_table, ", ".join(FIELDS)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            _copy(cursor, f"COPY {table} ({columns}) FROM STDIN", lines)
        else:
            marks = ", ".join(["%s"] * len(FIELDS))
            insert = f"INSERT INTO {table} ({columns}) VALUES ({marks})"  # noqa: S608  our names
            cursor.executemany(insert, list(lines))


def _copy(cursor: Any, statement: str, lines: Iterable[ChangeRow]) -> None:  # Any: psycopg's own
    with cursor.copy(statement) as copy:
        for line in lines:
            copy.write_row(line)
