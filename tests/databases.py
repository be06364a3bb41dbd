"""The test database: how each process gets its own, and how tests leave it to the next."""

import fcntl
import os
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from copy import deepcopy
from functools import wraps
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import psycopg
import pytest
from django.apps import apps
from django.db import connection, transaction
from django.test.utils import setup_databases, teardown_databases
from pytest_django.plugin import DjangoDbBlocker

from pentathlon.core import caching, indexes
from pentathlon.local.servers.postgres import bundled
from pentathlon.local.servers.processes import ServerFailed
from tests.patience import PATIENCE_S

Asked = ParamSpec("Asked")
Made = TypeVar("Made")

_MADE_BY_MIGRATING = {"auth_permission", "django_content_type"}


@contextmanager
def migrated_database(kept: Path) -> Iterator[str]:
    """Give this process a new database with all tables, by its name.

    What migrations make on PostgreSQL is kept as a script, and they begin where it ends: they take
    some 4 seconds, the script one. A migration that is edited lets all of them run again.

    Args:
        kept: a folder that later runs have, too.
    """
    with ExitStack() as stack:
        script = kept / f"{_digest_of_migrations()}.sql"
        if connection.vendor == "postgresql" and script.exists():
            connection.settings_dict["TEST"]["TEMPLATE"] = stack.enter_context(_filled_by(script))
        made = setup_databases(verbosity=0, interactive=False, serialized_aliases=[])
        if connection.vendor == "postgresql" and not script.exists():
            _keep_as(script)
        yield str(connection.settings_dict["NAME"])
        teardown_databases(made, verbosity=0)


def _digest_of_migrations() -> str:
    """Return a digest of all that stands in a migration of this run: ours and the packages'."""
    names = [f"{app.name}.migrations" for app in apps.get_app_configs()]
    folders = [Path(spec.origin or "").parent for name in names if (spec := find_spec(name))]
    files = sorted(path for folder in folders for path in folder.glob("*.py"))
    digest = sha256()
    for path in (Path(indexes.__file__), *files):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:20]


@contextmanager
def _filled_by(script: Path) -> Iterator[str]:
    name = f"template_{os.getpid()}"
    with connection._nodb_cursor() as cursor:
        cursor.execute(f'CREATE DATABASE "{name}"')
    with psycopg.connect(url_of({**connection.settings_dict, "NAME": name})) as other:
        other.execute(script.read_bytes())
    other.close()
    yield name
    with connection._nodb_cursor() as cursor:
        cursor.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


def _keep_as(script: Path) -> None:
    """Write the database of this process as a script, where the wheel has a program for that."""
    with suppress(ServerFailed, subprocess.CalledProcessError):
        program, address = str(bundled() / "pg_dump"), url_of(connection.settings_dict)
        command = [program, "--no-owner", "--rows-per-insert=100", address]
        dumped = subprocess.run(command, capture_output=True, check=True)
        _replace(script, dumped.stdout)


def _replace(script: Path, text: bytes) -> None:
    for older in script.parent.glob("*.sql"):
        older.unlink(missing_ok=True)
    # Lines that begin with a backslash are for a terminal, and no SQL.
    lines = [line for line in text.splitlines() if not line.startswith(b"\\")]
    draft = script.with_suffix(f".{os.getpid()}")
    draft.write_bytes(b"\n".join(lines))
    draft.replace(script)


@contextmanager
def copied_database(folder: Path, *, process: str, kept: Path) -> Iterator[None]:
    """Give this process of a run a copy of a database that the first of them has migrated.

    A copy takes a tenth of a second. The original goes with the process that made it.

    Args:
        folder: one that all processes of this run share, and no other run.
        process: a name that no other process of this run has.
        kept: see `migrated_database`.
    """
    told = folder / "migrated-database"
    with ExitStack() as stack:
        with _one_at_a_time(folder):
            if told.exists():
                connection.settings_dict["NAME"] = told.read_text()
            else:
                told.write_text(stack.enter_context(migrated_database(kept)))
                stack.callback(told.unlink)
            original = connection.settings_dict["NAME"]
            connection.close()
            _wait_until_nobody_uses(original)
            connection.creation.clone_test_db(process, verbosity=0)
        copy = connection.creation.get_test_db_clone_settings(process)
        connection.settings_dict.update(copy)
        yield
        connection.close()
        connection.settings_dict["NAME"] = original
        with _one_at_a_time(folder):
            connection.creation.destroy_test_db(suffix=process, verbosity=0)
            stack.close()


@contextmanager
def _one_at_a_time(folder: Path) -> Iterator[None]:
    with (folder / "migrated-database.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _wait_until_nobody_uses(name: str) -> None:
    """Wait for the ends of connections that are closed; PostgreSQL copies no database in use."""
    if connection.vendor != "postgresql":
        return
    until = time.monotonic() + PATIENCE_S
    with connection._nodb_cursor() as cursor:
        while time.monotonic() < until:
            cursor.execute("SELECT 1 FROM pg_stat_activity WHERE datname = %s", [name])
            if cursor.fetchone() is None:
                return
            time.sleep(0.02)


@contextmanager
def extra_database(blocker: DjangoDbBlocker, *, name: str) -> Iterator[str]:
    """Give the address of one more PostgreSQL database with all tables, for other processes.

    For the body of a module's fixture that needs `django_db_setup`: no test may be using ours.
    """
    with blocker.unblock():
        connection.close()
        _end_connections(connection.settings_dict["NAME"])
        connection.creation.clone_test_db(name, verbosity=0)
    made = connection.creation.get_test_db_clone_settings(name)
    yield url_of(made)
    with blocker.unblock(), connection._nodb_cursor() as cursor:
        cursor.execute(f'DROP DATABASE "{made["NAME"]}" WITH (FORCE)')


def url_of(settings: dict[str, Any]) -> str:  # Any: Django's own shape
    """Return the address of a PostgreSQL database by its settings."""
    return f"postgresql://{settings['USER']}@/{settings['NAME']}?host={settings['HOST']}"


def _end_connections(name: str) -> None:
    """End what threads of earlier tests may have left open."""
    with connection._nodb_cursor() as cursor:
        cursor.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [name]
        )
    _wait_until_nobody_uses(name)


def delete_all_rows() -> None:
    """Empty the tables that have rows; a fraction of the work of truncating all of them."""
    with transaction.atomic(), connection.cursor() as cursor:
        for table in _filled_tables():
            # Foreign keys are checked at the end of the transaction, so any order will do.
            cursor.execute(f"DELETE FROM {table}")


def _filled_tables() -> list[str]:
    names = connection.introspection.django_table_names(include_views=False)
    tables = [connection.ops.quote_name(name) for name in names if name not in _MADE_BY_MIGRATING]
    looks = (f"SELECT '{table}' WHERE EXISTS (SELECT 1 FROM {table})" for table in tables)
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(looks))
        return [table for (table,) in cursor.fetchall()]


def stored_again(make: Callable[Asked, Made]) -> Callable[Asked, Made]:
    """Return a function that stores what `make` has stored the first time, where nothing is yet.

    Its rows are copied back by PostgreSQL, in a twentieth of the time. What is asked for must be
    told apart by its text; rows cannot be asked for, as there are none.
    """
    kept: dict[str, tuple[Made, _Copy]] = {}

    @wraps(make)
    def stored(*args: Asked.args, **asked: Asked.kwargs) -> Made:
        if connection.vendor != "postgresql" or _filled_tables():
            return make(*args, **asked)
        key = repr((args, sorted(asked.items())))
        if key in kept:
            kept[key][1].store()
        else:
            kept[key] = (make(*args, **asked), _Copy())
        return deepcopy(kept[key][0])

    return stored


class _Copy:
    """All rows of PostgreSQL as they are now, and how far the numbers of new ones have come."""

    def __init__(self) -> None:
        self._rows: dict[str, bytes] = {}
        with connection.cursor() as cursor:
            for table in _filled_tables():
                with cursor.copy(f"COPY {table} TO STDOUT") as copy:
                    self._rows[table] = b"".join(copy)
            cursor.execute(
                "SELECT quote_ident(sequencename), last_value FROM pg_sequences"
                " WHERE last_value IS NOT NULL"
            )
            self._numbers: list[tuple[str, int]] = cursor.fetchall()

    def store(self) -> None:
        # In one transaction, because tables refer to each other; that is checked at its end.
        with transaction.atomic(), connection.cursor() as cursor:
            for table, data in self._rows.items():
                with cursor.copy(f"COPY {table} FROM STDIN") as copy:
                    copy.write(data)
            # Who restores a backup sets numbers back; rows of now follow these all the same.
            cursor.executemany(
                "SELECT setval(%s, GREATEST(nextval(%s), %s))",
                [(name, name, number) for name, number in self._numbers],
            )
        _forget_answers()


@contextmanager
def rows_for_a_module(blocker: DjangoDbBlocker) -> Iterator[None]:
    """Keep what is stored within for all tests of a module, each of which undoes what it does.

    For the body of a fixture that needs `django_db_setup`; tests with `transaction=True` cannot
    use it.
    """
    with blocker.unblock(), transaction.atomic():
        yield
        transaction.set_rollback(True)
    _forget_answers()


def _forget_answers() -> None:
    # Answers are cached by counts that never go back, except where rows are undone or come again.
    caching._packed = caching.Packed()


def made_once(make: Callable[[], Made]) -> object:
    """Return a fixture that gives all tests of a module what `make` has stored once.

    A test reads it again before it changes anything; see `rows_for_a_module`.
    """

    @pytest.fixture(scope="module")
    def made(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Made]:
        with rows_for_a_module(django_db_blocker):
            yield make()

    return made
