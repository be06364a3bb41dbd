"""An old database goes on, one migration after the other, to the tables of a new one.

Run with `manage.py test upgrades`; the usual run compares the models that both come to.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from django.core.management import call_command
from django.db import connection
from django.db.backends.utils import CursorWrapper
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.state import StateApps
from pytest_django.plugin import DjangoDbBlocker

from pentathlon.core.schema import missing_migrations
from tests.pentathlon.tournaments.test_sealing_old_rows import (
    BEFORE,
    demand_that_they_were_sealed,
    stored,
)

Tables = Mapping[str, object]

_OF_TODAY = ("accounts", "bots")
"""Apps that old tournaments refer to: the factories store their rows as they are today."""


def test_old_database_comes_to_the_tables_of_a_new_one(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker, tmp_path: Path
) -> None:
    with django_db_blocker.unblock():
        expected = _tables()
        with _empty_database(tmp_path):
            apps = _migrate_one_by_one([BEFORE], *_OF_TODAY)
            model = apps.get_model("tournaments", "Tournament")
            made = [stored(model, state) for state in ("open", "running", "closed")]

            _migrate_one_by_one()
            call_command("migrate", verbosity=0)

            assert missing_migrations() == []
            assert _tables() == expected
            demand_that_they_were_sealed(*made)


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


def _migrate_one_by_one(targets: Sequence[tuple[str, str]] = (), *apps: str) -> StateApps:
    """Apply migrations as they were written; return the models that they come to.

    Up to the targets and the newest of some apps, or all.
    """
    executor = MigrationExecutor(connection)
    executor.loader = loader = MigrationLoader(connection, replace_migrations=False)
    newest = [key for key in loader.graph.leaf_nodes() if not loader.disk_migrations[key].replaces]
    wanted = [*targets, *(key for key in newest if key[0] in apps or not targets)]
    executor.migrate(wanted)
    return loader.project_state(wanted).apps


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
