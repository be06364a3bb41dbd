"""Copies of the test database, for processes that keep what they store."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection
from pytest_django.plugin import DjangoDbBlocker

from tests.patience import PATIENCE_S

_OTHERS = "pid <> pg_backend_pid() AND datname = %s"


def url_of(settings: dict[str, Any]) -> str:  # Any: Django's own shape
    """Return the address of a PostgreSQL database by its settings."""
    return f"postgresql://{settings['USER']}@/{settings['NAME']}?host={settings['HOST']}"


@contextmanager
def copied_database(blocker: DjangoDbBlocker, name: str) -> Iterator[str]:
    """Give the address of a PostgreSQL database with all tables; much cheaper than to migrate."""
    with blocker.unblock():
        _end_other_connections()
        connection.creation.clone_test_db(name, verbosity=0)
        made = connection.creation.get_test_db_clone_settings(name)
    yield url_of(made)
    with blocker.unblock(), connection.cursor() as cursor:
        cursor.execute(f'DROP DATABASE "{made["NAME"]}" WITH (FORCE)')


def _end_other_connections() -> None:
    """Leave no other process connected: such a database cannot be copied."""
    deadline = time.monotonic() + PATIENCE_S
    name = [connection.settings_dict["NAME"]]
    with connection.cursor() as cursor:
        while True:
            cursor.execute(
                f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {_OTHERS}", name
            )
            if not cursor.fetchall():
                return
            assert time.monotonic() < deadline
            time.sleep(0.05)
