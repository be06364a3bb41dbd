"""Whether the database is as new as the code: no process may work on an older one."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache

import structlog
from django.db import InterfaceError, OperationalError, connection
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
    """Return when the database is there and as new as the code; say once what is waited for."""
    said = ""
    while not is_stopping() and (reason := _reason_to_wait()):
        if reason != said:
            _log.warning("waiting for the database", reason=reason)
        said = reason
        time.sleep(pause_s)


def _reason_to_wait() -> str:
    try:
        missing = missing_migrations()
    except (InterfaceError, OperationalError) as error:
        return str(error).strip().partition("\n")[0] or "it does not answer"
    finally:
        connection.close()  # workers fork after this
    if not missing:
        return ""
    return (
        f"It is older than this code: {len(missing)} migrations wait for `manage.py migrate`, "
        f"the first is {missing[0]}."
    )
