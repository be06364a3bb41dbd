"""No process waits for the database without end, and none that hangs stops it for others."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from pathlib import Path

import pytest
from django.db import OperationalError, connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.utils import ConnectionHandler

from pentathlon import connections
from pentathlon.roles import PATIENCE, Patience, Role, role_of_command
from tests.proxy import Proxy, proxy_for

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif("connection.vendor != 'postgresql'", reason="about PostgreSQL alone"),
]

URL = "postgresql://me@db.example/games"
SHORT = 0.3
IMPATIENT = Patience(connect_s=4, statement_s=60, answer_s=2.5)
"""Little patience with a server that hangs; one that is busy answers in time."""


@contextmanager
def connected(patience: Patience, **changes: object) -> Iterator[BaseDatabaseWrapper]:
    """Give one more connection to the test database, with timeouts of its own."""
    settings = deepcopy(connection.settings_dict)
    settings["OPTIONS"].update(connections.timeouts(patience))
    settings.update(changes)
    found = ConnectionHandler({"default": settings})["default"]
    try:
        yield found
    finally:
        found.close()


@contextmanager
def proxied(patience: Patience) -> Iterator[tuple[Proxy, BaseDatabaseWrapper]]:
    """Give a connection to the test database through a proxy that can hang."""
    settings = connection.settings_dict
    host, port = settings["HOST"], int(settings["PORT"] or 5432)
    target = f"{host}/.s.PGSQL.{port}" if host.startswith("/") else (host, port)
    with (
        proxy_for(target) as proxy,
        connected(patience, HOST="127.0.0.1", PORT=proxy.port) as found,
    ):
        yield proxy, found


def _ask(database: BaseDatabaseWrapper, command: str) -> object:
    with database.cursor() as cursor:
        cursor.execute(command)
        return cursor.fetchone()


def _is_free(database: BaseDatabaseWrapper, lock: str) -> bool:
    try:
        _ask(database, lock)
    except OperationalError:
        return False
    return True


@pytest.mark.parametrize("role", Role)
def test_every_role_has_all_timeouts(role: Role) -> None:
    options = connections.database(URL, data=Path("/data"), role=role)["OPTIONS"]

    assert options["connect_timeout"] in (3, 5)
    assert (options["keepalives_idle"], options["tcp_user_timeout"]) == (10, 20_000)
    for name in ("statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"):
        assert f"-c {name}=" in options["options"]


def test_only_commands_take_as_long_as_they_take() -> None:
    endless = {role for role, patience in PATIENCE.items() if patience.statement_s == 0}

    assert endless == {Role.COMMAND}


def test_options_in_the_address_win() -> None:
    found = connections.database(f"{URL}?connect_timeout=9&options=", data=Path("/data"))

    assert (found["OPTIONS"]["connect_timeout"], found["OPTIONS"]["options"]) == ("9", "")


def test_command_line_tells_the_role() -> None:
    assert role_of_command(["manage.py", "reconcile"]) is Role.RECONCILER
    assert role_of_command(["manage.py", "serve"]) is Role.WEB
    assert role_of_command(["manage.py", "migrate"]) is Role.COMMAND


@pytest.mark.parametrize("role", Role)
def test_server_knows_the_timeouts_of_each_role(role: Role) -> None:
    patience = PATIENCE[role]

    with connected(patience) as found:
        told = _ask(found, "SELECT extract(epoch FROM current_setting('lock_timeout')::interval)")
        idle = _ask(found, "SHOW idle_in_transaction_session_timeout")

    assert told == (patience.lock_s,)
    assert idle == ("5min" if role is Role.COMMAND else "15s",)


def test_long_statement_is_cancelled() -> None:
    patience = Patience(connect_s=60, statement_s=SHORT, answer_s=60)
    with connected(patience) as found, pytest.raises(OperationalError, match="statement timeout"):
        _ask(found, "SELECT pg_sleep(30)")


def test_transaction_that_is_left_open_ends_and_frees_its_locks() -> None:
    lock = "SELECT pg_advisory_xact_lock(71)"
    patience = Patience(
        connect_s=60, statement_s=60, answer_s=60, lock_s=SHORT, idle_in_transaction_s=1
    )
    with connected(patience) as hung, connected(patience) as other:
        hung.set_autocommit(False)
        _ask(hung, lock)

        # A try takes 0.3 s, so the server has ended the transaction long before the last one.
        assert any(_is_free(other, lock) for _ in range(200))

        with pytest.raises(OperationalError, match=r"idle-in-transaction timeout|closed"):
            _ask(hung, "SELECT 1")


def test_hung_server_is_given_up_in_the_midst_of_a_statement() -> None:
    with proxied(IMPATIENT) as (proxy, found):
        assert _ask(found, "SELECT 1") == (1,)
        proxy.hang()

        with pytest.raises(OperationalError, match=r"no answer for 2\.5 s"):
            _ask(found, "SELECT 2")

        proxy.resume()
        found.close()
        assert _ask(found, "SELECT 3") == (3,)


def test_hung_server_is_given_up_in_the_midst_of_a_transaction() -> None:
    with proxied(IMPATIENT) as (proxy, found):
        found.set_autocommit(False)
        _ask(found, "SELECT 1")
        proxy.hang()
        with pytest.raises(OperationalError, match="no answer"):
            _ask(found, "SELECT 2")

        found.close()
        proxy.resume()
        assert _ask(found, "SELECT 3") == (3,)


def test_hung_server_takes_no_longer_than_a_connection_may() -> None:
    with proxied(IMPATIENT) as (proxy, found):
        proxy.hang()

        with pytest.raises(OperationalError, match="timeout expired"):
            _ask(found, "SELECT 1")


def test_idle_connection_to_a_hung_server_is_not_usable() -> None:
    slow = Patience(connect_s=2, statement_s=600, answer_s=600)
    with proxied(slow) as (proxy, found):
        _ask(found, "SELECT 1")
        proxy.hang()

        assert not found.is_usable()
