"""Rows in bulk, past the models: COPY on PostgreSQL, batches on SQLite."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from itertools import islice
from typing import Any, Final

from django.db import connection, transaction
from django.db.models import NOT_PROVIDED, Field, Max, Model

_BATCH: Final = 10_000
_INDEXES: Final = """
    SELECT pg_get_indexdef(i.indexrelid), c.relname FROM pg_index i
    JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_class t ON t.oid = i.indrelid
    WHERE t.relname = ANY(%s) AND NOT i.indisunique
"""

Row = Sequence[Any]  # Any: what a column holds


class Table:
    """One table, filled with rows that name some columns; the others get their defaults."""

    def __init__(self, model: type[Model], *columns: str) -> None:
        known = {field.name: field for field in model._meta.concrete_fields}
        given = [known[name] for name in columns]
        fields = [
            field
            for field in model._meta.concrete_fields
            if field not in given and _is_demanded(field)
        ]
        self._defaults = tuple(_plain(field, field.get_default()) for field in fields)
        names = [field.column for field in (*given, *fields)]
        quoted = ", ".join(f'"{name}"' for name in names)
        self._name = model._meta.db_table
        self._copy = f"COPY {self._name} ({quoted}) FROM STDIN"
        marks = ", ".join(["%s"] * len(names))
        self._insert = f"INSERT INTO {self._name} ({quoted}) VALUES ({marks})"  # noqa: S608  ours

    def fill(self, rows: Iterable[Row]) -> None:
        """Store rows, each with the columns that were named, in their order."""
        full = ((*row, *self._defaults) for row in rows)
        with connection.cursor() as cursor:
            if connection.vendor == "postgresql":
                _copy(cursor, self._copy, full)
                return
            while batch := list(islice(full, _BATCH)):
                with transaction.atomic():  # else each row would be a transaction
                    cursor.executemany(self._insert, batch)


def next_id(model: type[Model]) -> int:
    """Return the id of the next row of a table."""
    last: int | None = model._default_manager.aggregate(last=Max("pk"))["last"]
    return (last or 0) + 1


def moment(time: datetime) -> str:
    """Return a time in UTC as the database in use takes it."""
    text = time.strftime("%Y-%m-%d %H:%M:%S.%f")
    return f"{text}+00" if connection.vendor == "postgresql" else text


@contextmanager
def without_indexes(*models: type[Model]) -> Iterator[None]:
    """Fill tables of a private PostgreSQL without indexes, which are made again at the end."""
    if connection.vendor != "postgresql":
        yield
        return
    tables = [model._meta.db_table for model in models]
    with connection.cursor() as cursor:
        cursor.execute(_INDEXES, [tables])
        indexes = cursor.fetchall()
        for _, name in indexes:
            cursor.execute(f'DROP INDEX "{name}"')
        # The rows refer to each other as they should, so PostgreSQL need not check two million
        # times.
        cursor.execute("SET session_replication_role = replica")
        yield
        cursor.execute("SET session_replication_role = DEFAULT")
        for definition, _ in indexes:
            cursor.execute(definition)
    analyse()


def analyse() -> None:
    """Update the database's statistics about its tables."""
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE" if connection.vendor == "postgresql" else "ANALYZE")


def _copy(cursor: Any, statement: str, rows: Iterable[Row]) -> None:  # Any: psycopg's own
    with cursor.copy(statement) as copy:
        for row in rows:
            copy.write_row(row)


def _is_demanded(field: Field[Any, Any]) -> bool:
    """Return whether a column needs a value, as neither NULL nor a database default will do."""
    if field.primary_key or field.generated or field.null:
        return False
    return field.db_default is NOT_PROVIDED


def _plain(field: Field[Any, Any], value: object) -> object:
    """Return a default as a plain value for COPY and for INSERT."""
    if isinstance(value, dict | list):
        return "{}" if isinstance(value, dict) else "[]"
    return field.get_prep_value(value)
