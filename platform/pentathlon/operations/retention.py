"""The kinds of data that are kept for a limited time, their sizes, and the step that deletes them.

Everything else is kept forever: results, records, receipts, ratings and the archives of versions,
because results can be verified at any time.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from django.db import DatabaseError, connection, transaction
from django.db.models import Model

from pentathlon.accounts.oauth.retention import APP_TOKENS
from pentathlon.accounts.retention import CLASSES as OF_ACCOUNTS
from pentathlon.core.retention import RetentionClass
from pentathlon.fleet.retention import SILENT_WORKERS
from pentathlon.matches.retention import bot_logs
from pentathlon.webhooks.retention import DELIVERIES


@dataclass(frozen=True, slots=True, kw_only=True)
class Holding:
    """The size of one kind of data, and how much of it is due."""

    kind: RetentionClass
    rows: int
    size: int | None
    """Bytes, indexes included; None where the database does not tell."""
    due: int


def classes() -> tuple[RetentionClass, ...]:
    """Return all kinds of data that expire, with the periods from the settings."""
    return (bot_logs(), DELIVERIES, *OF_ACCOUNTS, APP_TOKENS, SILENT_WORKERS)


def read_holdings() -> list[Holding]:
    """Return the present size of each kind, by counting whole tables."""
    return [
        Holding(
            kind=kind,
            rows=sum(model._default_manager.count() for model in kind.models),
            size=_size_of(kind.models),
            due=kind.due(),
        )
        for kind in classes()
    ]


def other_holdings() -> list[tuple[str, int]]:
    """Return the tables that never expire and their bytes, largest first; [] if unknown."""
    temporary = {model._meta.db_table for kind in classes() for model in kind.models}
    sizes = {name: _table_size(name) for name in connection.introspection.table_names()}
    found = [(name, size) for name, size in sizes.items() if size and name not in temporary]
    return sorted(found, key=lambda each: -each[1])


def forget_all() -> int:
    """Delete everything that is due; return how many rows went."""
    gone = 0
    for kind in classes():
        while step := kind.forget():
            gone += step
    return gone


class Forgetter:
    """Deletes due rows, some at a time: a step of the reconciler."""

    def __init__(self) -> None:
        self._next_looks: dict[str, float] = {}

    def step(self) -> int:
        """Delete some due rows of each kind; a kind that may have more is due again at once."""
        return sum(self._look(kind) for kind in classes())

    def _look(self, kind: RetentionClass) -> int:
        if time.monotonic() < self._next_looks.get(kind.key, 0.0):
            return 0
        gone = kind.forget()
        if not gone:
            self._next_looks[kind.key] = time.monotonic() + kind.look_s
        return gone


def _size_of(models: tuple[type[Model], ...]) -> int | None:
    sizes = [_table_size(model._meta.db_table) for model in models]
    known = [size for size in sizes if size is not None]
    return sum(known) if len(known) == len(sizes) else None


def _table_size(table: str) -> int | None:
    query = (
        "SELECT pg_total_relation_size(to_regclass(quote_ident(%s)))"
        if connection.vendor == "postgresql"
        else "SELECT SUM(pgsize) FROM dbstat WHERE name IN"
        " (SELECT name FROM sqlite_schema WHERE tbl_name = %s)"
    )
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(query, [table])
            (size,) = cursor.fetchone()
    except DatabaseError:  # an SQLite that was built without `dbstat`
        return None
    return None if size is None else int(size)
