"""Whether the database is as new as the code: no process may work on an older one."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache

import structlog
from django.db import DatabaseError, InterfaceError, OperationalError, connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

_PAUSE_S = 2.0

_log = structlog.stdlib.get_logger(__name__)


@cache
def known_migrations() -> tuple[str, ...]:
    """Return the migrations that the code knows: the version of its tables."""
    # From the files, once: they do not change while a process runs.
    found = MigrationLoader(None).disk_migrations
    return tuple(f"{app}.{name}" for app, name in sorted(found))


def missing_migrations() -> list[str]:
    """Return the migrations that the code knows and the database has not seen."""
    applied = applied_migrations()
    return [name for name in known_migrations() if name not in applied]


def applied_migrations() -> set[str]:
    """Return the migrations that the database has seen; none if it has no tables."""
    found = MigrationRecorder(connection).applied_migrations()
    return {f"{app}.{name}" for app, name in found}


def wait_for_schema(
    *, is_stopping: Callable[[], bool] = lambda: False, pause_s: float = _PAUSE_S
) -> None:
    """Return when the database answers and is as new as the code; log each reason to wait once."""
    said = ""
    while not is_stopping() and (reason := _reason_to_wait()):
        if reason != said:
            _log.warning("waiting for the database", reason=reason)
        said = reason
        time.sleep(pause_s)


def explain_failure(error: DatabaseError | InterfaceError) -> str | None:
    """Return why no command can work on this database, and what to do; None if it is ready.

    The sentence begins with its code: `database_away`, `no_tables` or `old_tables`.
    """
    connection.close()  # it may be in the middle of a failed transaction
    try:
        applied = applied_migrations()
    except (DatabaseError, InterfaceError):
        reason = str(error).strip().partition("\n")[0]
        return f"database_away: The database does not answer: {reason}. Check DATABASE_URL."
    missing = [name for name in known_migrations() if name not in applied]
    if not missing:
        return None
    if not applied:
        return (
            "no_tables: This database has no tables yet. Run `python3 manage.py migrate`, or "
            "`python3 manage.py up`, which does it, too."
        )
    return (
        f"old_tables: This database is older than this code: {len(missing)} migrations wait, the "
        f"first is {missing[0]}. Run `python3 manage.py migrate`."
    )


def _reason_to_wait() -> str:
    try:
        missing = missing_migrations()
    except (InterfaceError, OperationalError) as error:
        return str(error).strip().partition("\n")[0] or "it does not answer"
    finally:
        connection.close()  # workers fork after this check
    if not missing:
        return ""
    return (
        f"It is older than this code: {len(missing)} migrations wait for `manage.py migrate`, "
        f"the first is {missing[0]}."
    )
