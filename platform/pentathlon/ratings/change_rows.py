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
_WHOSE: Final = 4
"""The number of columns that identify a change; the others are its numbers."""
_ARRAYS: Final = "%s::bigint[]" + 4 * ", %s::float8[]" + ", %s::integer[]"

ChangeRow = tuple[int, int, int, int, float, float, float, float, int | None]
"""One change: the columns of `FIELDS`."""
StoredChange = tuple[int, ChangeRow]
"""A change with the id that it is stored under."""


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


def stored_changes(pool: Pool, *, first: int, last: int) -> list[StoredChange]:
    """Return (id, change) for ledger rows with these sequence numbers, in order of the seats."""
    changes = RatingChange.objects.filter(row__pool=pool, row__seq__range=(first, last))
    in_order = changes.order_by("row__seq", "seat")
    return [(line[0], line[1:]) for line in in_order.values_list("pk", *FIELDS)]


def replace_changes(
    pool: Pool,
    *,
    first: int,
    last: int,
    stored: Sequence[StoredChange],
    lines: Sequence[ChangeRow],
) -> None:
    """Replace all changes of a range of ledger rows of a locked pool with these.

    Most often, old and new changes differ in numbers only. Then they are updated in place, which
    costs a seventh of deleting and inserting on SQLite, and less than two thirds on PostgreSQL.
    """
    if [line[:_WHOSE] for _, line in stored] == [line[:_WHOSE] for line in lines]:
        differing = [
            (pk, *line[_WHOSE:])
            for (pk, old), line in zip(stored, lines, strict=True)
            if old != line
        ]
        if _update(differing) == len(differing):
            return
        # Another recompute has replaced the changes since they were read.
    RatingChange.objects.filter(row__pool=pool, row__seq__range=(first, last)).delete()
    insert_rows(lines)


def _update(lines: Sequence[tuple[Any, ...]]) -> int:  # Any: an id and its columns
    """Write new numbers into stored changes; return how many changes were found."""
    table, columns = RatingChange._meta.db_table, FIELDS[_WHOSE:]
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            pairs = ", ".join(f"{name} = new.{name}" for name in columns)
            statement = (
                f"UPDATE {table} SET {pairs} FROM unnest({_ARRAYS}) "  # noqa: S608  our names
                f"AS new(id, {', '.join(columns)}) WHERE {table}.id = new.id"
            )
            cursor.execute(statement, [_literal(column) for column in zip(*lines, strict=True)])
        else:
            pairs = ", ".join(f"{name} = %s" for name in columns)
            statement = f"UPDATE {table} SET {pairs} WHERE id = %s"  # noqa: S608  our names
            cursor.executemany(statement, [(*line[1:], line[0]) for line in lines])
        return int(cursor.rowcount)


def _literal(column: Sequence[float | None]) -> str:
    """Write an array as PostgreSQL reads it: several times as fast as the driver adapts a list."""
    return "{" + ",".join("NULL" if each is None else repr(each) for each in column) + "}"


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
