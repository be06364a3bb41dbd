"""A database of 1.0 goes on, one migration after the other, to the tables of a new one.

Run with `manage.py test upgrades`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from django.core.management import call_command
from django.db import connection
from django.db.backends.utils import CursorWrapper
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from pytest_django.plugin import DjangoDbBlocker

from pentathlon.core.schema import missing_migrations

Tables = Mapping[str, object]


def test_old_database_comes_to_the_tables_of_a_new_one(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker, tmp_path: Path
) -> None:
    with django_db_blocker.unblock():
        expected = _tables()
        with _empty_database(tmp_path):
            _migrate_one_by_one()
            call_command("migrate", verbosity=0)

            assert missing_migrations() == []
            assert _tables() == expected


@contextmanager
def _empty_database(folder: Path) -> Iterator[None]:
    """Let this process work with another database for a while."""
    settings = connection.settings_dict
    original = settings["NAME"]
    other = f"{original}_old" if connection.vendor == "postgresql" else str(folder / "old")
    connection.close()
    if connection.vendor == "postgresql":
        with connection._nodb_cursor() as cursor:
            cursor.execute(f'CREATE DATABASE "{other}"')
    settings["NAME"] = other
    try:
        yield
    finally:
        connection.close()
        settings["NAME"] = original
        if connection.vendor == "postgresql":
            with connection._nodb_cursor() as cursor:
                cursor.execute(f'DROP DATABASE "{other}"')


def _migrate_one_by_one() -> None:
    """Apply migrations as they were written: the first of each of our apps, then the others."""
    loader = MigrationLoader(connection, replace_migrations=False)
    made = loader.disk_migrations
    ours = [key for key in made if made[key].__module__.startswith("pentathlon.")]
    first = [key for key in ours if made[key].initial]
    newest = [key for key in loader.graph.leaf_nodes() if not made[key].replaces]
    for targets in (first, newest):
        executor = MigrationExecutor(connection)
        executor.loader = MigrationLoader(connection, replace_migrations=False)
        executor.migrate(targets)


def _tables() -> Tables:
    """Return columns, indexes and constraints of all tables."""
    with connection.cursor() as cursor:
        names = connection.introspection.table_names(cursor)
        return {name: _table(cursor, name) for name in names}


def _table(cursor: CursorWrapper, name: str) -> object:
    columns = connection.introspection.get_table_description(cursor, name)
    constraints = connection.introspection.get_constraints(cursor, name)
    # SQLite numbers constraints without a name by their place in the table.
    named = [(key.rstrip("0123456789_"), facts) for key, facts in constraints.items()]
    return sorted(map(repr, columns)), sorted(map(repr, named))
