"""Strikes that set the platform back while it runs: its database, or its clock."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import psycopg
from django.db import DatabaseError, connection
from psycopg.conninfo import conninfo_to_dict
from psycopg.sql import SQL, Identifier

from pentathlon.local.servers.postgres import PostgresServer
from tools.chaos.clock import Clock
from tools.chaos.scene import DATABASE, Scene

_LOST_S: Final = 20.0
_HOUR_S: Final = 3600
_MOMENT_S: Final = 5.0
_BACKUP: Final = "backup"
# As `manage.py restore` does, so that nobody takes the restored log for a forged one.
_SIGN: Final = """
    INSERT INTO matches_logcontinuation (size)
    SELECT coalesce(max(index) + 1, 0) FROM matches_logentry
"""


def restore_database(scene: Scene) -> bool:
    """Bring the database back as it was some seconds ago, with everything running."""
    postgres = scene.postgres
    if postgres is None or DATABASE in scene.away:
        return False
    back_up(postgres)
    scene.away.add(DATABASE)

    def bring_back() -> None:
        restore(postgres)
        scene.away.discard(DATABASE)

    scene.later(_LOST_S, bring_back)
    return True


def back_up(postgres: PostgresServer) -> None:
    """Copy the database. Everybody is cut off for a moment."""
    name = Identifier(_name(postgres))
    with _administering(postgres) as admin:
        admin.execute(SQL("DROP DATABASE IF EXISTS {}").format(Identifier(_BACKUP)))
        admin.execute(SQL("ALTER DATABASE {} ALLOW_CONNECTIONS false").format(name))
        try:
            admin.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s",
                (_name(postgres),),
            )
            copy = SQL("CREATE DATABASE {} TEMPLATE {}")
            admin.execute(copy.format(Identifier(_BACKUP), name))
        finally:
            admin.execute(SQL("ALTER DATABASE {} ALLOW_CONNECTIONS true").format(name))
    with _administering(postgres, _BACKUP) as copied:
        copied.execute(_SIGN)


def restore(postgres: PostgresServer) -> None:
    """Put the copy in the place of the database."""
    name = Identifier(_name(postgres))
    with _administering(postgres) as admin:
        admin.execute(SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(name))
        rename = SQL("ALTER DATABASE {} RENAME TO {}")
        admin.execute(rename.format(Identifier(_BACKUP), name))


def set_clock_back(scene: Scene) -> bool:
    """Set the clock back by an hour, for good."""
    return scene.clock is not None and scene.clock.move(-_HOUR_S)


def set_clock_ahead(scene: Scene) -> bool:
    """Set the clock ahead by an hour, and back after a moment."""
    clock = scene.clock
    if clock is None or not clock.move(_HOUR_S):
        return False
    scene.later(_MOMENT_S, lambda: _move(clock, -_HOUR_S))
    return True


def _move(clock: Clock, seconds: int) -> None:
    clock.move(seconds)


@contextmanager
def _administering(
    postgres: PostgresServer, database: str = "postgres"
) -> Iterator[psycopg.Connection]:
    """Talk to another database of the server; this process leaves its own, too."""
    connection.close()
    try:
        with psycopg.connect(postgres.url, dbname=database, autocommit=True) as admin:
            yield admin
    except psycopg.Error as error:
        raise DatabaseError(str(error)) from error


def _name(postgres: PostgresServer) -> str:
    return str(conninfo_to_dict(postgres.url)["dbname"])
