"""Statements that run for every match: Django compiles each once, then only its values change.

Compiling a statement takes Django several times as long as running it takes the database. Each is
written as usual, in a function of its values, so nothing in it but these may differ from one run
to the next. A list is filled up with its last value to a power of two, so that few lengths are
compiled, a single one for the matches of a hint. What is compared with a list must not be a
foreign key: write `match__pk__in`.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import count
from typing import Any, Final, Generic, TypeVar
from uuid import UUID

from django.core.exceptions import EmptyResultSet
from django.db import DEFAULT_DB_ALIAS, connection, connections
from django.db.models import Expression, Field, Model, QuerySet
from django.db.models.constants import OnConflict
from django.db.models.expressions import DatabaseDefault
from django.db.models.sql import UpdateQuery

Row = TypeVar("Row")
_SHORTEST: Final = 8
"""The shortest length of lists."""
_Values = Sequence[Any]  # Any: of any column
Changes = tuple[QuerySet[Any, Any], dict[str, object]]


class _Place(Expression):
    """The place of a value that comes later."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number

    def as_sql(self, *_: object) -> tuple[str, tuple[_Place]]:  # type: ignore[override]
        """Return a parameter."""
        return "%s", (self,)


class _Text:
    """A compiled statement."""

    def __init__(self, sql: str, parameters: Iterable[object], source: Any = None) -> None:
        self.sql = sql
        self.source = source
        self._parameters = tuple(parameters)

    def parameters(self, values: _Values) -> tuple[Any, ...]:  # Any: of any column
        """Return the parameters of a run with these values."""
        return tuple(
            _adapted(values[each.number]) if isinstance(each, _Place) else each
            for each in self._parameters
        )


class _PerThread(threading.local):
    """What a thread has compiled, by the lengths of lists: a connection belongs to one thread."""

    def __init__(self) -> None:
        self.texts: dict[Sequence[int | None], _Text | None] = {}


class _Statement(ABC):
    """Compiles what a function builds from the places of its values."""

    def __init__(self, build: Callable[..., Any]) -> None:  # Any: as the kind of statement wants
        self._build = build
        self._own = _PerThread()

    def _text(self, shape: Sequence[int | None]) -> _Text | None:
        """Return the statement for lists of these lengths, None for a single value."""
        texts = self._own.texts
        if shape not in texts:
            numbers = map(_Place, count())
            places = [
                next(numbers) if length is None else [next(numbers) for _ in range(length)]
                for length in shape
            ]
            try:
                texts[shape] = self._compile(self._build(*places))
            except EmptyResultSet:
                texts[shape] = None
        return texts[shape]

    @abstractmethod
    def _compile(self, built: Any) -> _Text:  # Any: as above
        """Return the statement that was built."""


class Read(_Statement, Generic[Row]):
    """A query."""

    def __init__(self, build: Callable[..., QuerySet[Any, Row]]) -> None:
        super().__init__(build)

    def __call__(self, *values: Any) -> list[Row]:  # Any: of any column
        """Return what it finds with these values."""
        filled = _filled(values)
        text = self._text(_shape(filled))
        if text is None:
            return []
        queryset, compiler = text.source
        compiler.connection = connections[DEFAULT_DB_ALIAS]
        parameters = text.parameters(_flat(filled))
        compiler.as_sql = lambda *_, **__: (text.sql, parameters)
        return list(queryset._iterable_class(queryset))

    def _compile(self, built: Any) -> _Text:  # Any: its private parts
        compiler = built.query.get_compiler(DEFAULT_DB_ALIAS)
        sql, parameters = compiler.as_sql()
        built.query.get_compiler = lambda *_, **__: compiler
        return _Text(sql, parameters, (built, compiler))


class Update(_Statement):
    """An update: the rows as a query, and their new values by column."""

    def __init__(self, build: Callable[..., Changes]) -> None:
        super().__init__(build)

    def __call__(self, *values: Any) -> int:  # Any: of any column
        """Update the rows; return how many."""
        filled = _filled(values)
        text = self._text(_shape(filled))
        if text is None:
            return 0
        with connection.cursor() as cursor:
            cursor.execute(text.sql, text.parameters(_flat(filled)))
            return int(cursor.rowcount)

    def each(self, rows: Iterable[_Values]) -> None:
        """Run it for each of these rows of single values, in this order."""
        lines = list(rows)
        text = self._text((None,) * len(lines[0])) if lines else None
        if text is not None:
            with connection.cursor() as cursor:
                cursor.executemany(text.sql, [text.parameters(line) for line in lines])

    def _compile(self, built: Any) -> _Text:  # Any: its private parts
        queryset, changes = built
        query = queryset.query.chain(UpdateQuery)
        query.add_update_values(changes)
        query.clear_ordering(force=True)
        query.clear_select_clause()
        return _Text(*query.get_compiler(DEFAULT_DB_ALIAS).as_sql())


def store_rows(
    rows: Iterable[Model],
    *,
    unique: Collection[str] = (),
    update: Collection[str] = (),
    ignores_known: bool = False,
) -> None:
    """Store rows of a table as `bulk_create` does, several times as fast; ids stay unknown.

    With `unique` columns, a row that is there already gets the new values of the `update` columns.
    """
    alike: defaultdict[tuple[Field[Any, Any], ...], list[Model]] = defaultdict(list)
    for row in rows:
        alike[_given(row, unique)].append(row)
    known = OnConflict.UPDATE if unique else OnConflict.IGNORE if ignores_known else None
    for fields, stored in alike.items():
        columns = {field.name: str(field.column) for field in fields}
        suffix = connection.ops.on_conflict_suffix_sql(
            fields, known, [columns[name] for name in update], [columns[name] for name in unique]
        )
        quoted = connection.ops.quote_name
        sql = (
            f"{connection.ops.insert_statement(on_conflict=known)} "
            f"{quoted(stored[0]._meta.db_table)} ({', '.join(map(quoted, columns.values()))}) "
            f"VALUES ({', '.join(['%s'] * len(fields))}) {suffix}"
        )
        lines = [
            [field.get_db_prep_save(getattr(row, field.attname), connection) for field in fields]
            for row in stored
        ]
        with connection.cursor() as cursor:
            cursor.executemany(sql, lines)


def _given(row: Model, unique: Collection[str]) -> tuple[Field[Any, Any], ...]:
    """Return the columns that a row has a value for; the database makes the others."""
    number = row._meta.auto_field
    return tuple(
        field
        for field in row._meta.concrete_fields
        if not field.generated
        and (field is not number or field.name in unique)
        and not isinstance(getattr(row, field.attname), DatabaseDefault)
    )


def _shape(values: _Values) -> tuple[int | None, ...]:
    return tuple(len(each) if isinstance(each, list) else None for each in values)


def _filled(values: _Values) -> list[Any]:  # Any: of any column
    """Return the values, with each list filled up."""
    return [
        [*each, *each[-1:] * (max(_SHORTEST, 1 << (len(each) - 1).bit_length()) - len(each))]
        if isinstance(each, list) and each
        else each
        for each in values
    ]


def _flat(values: _Values) -> list[Any]:  # Any: of any column
    return [one for each in values for one in (each if isinstance(each, list) else (each,))]


def _adapted(value: Any) -> Any:  # Any: of any column
    """Return a value as the driver takes it."""
    if isinstance(value, UUID):
        return value if connection.features.has_native_uuid_field else value.hex
    return connection.ops.adapt_unknown_value(value)
