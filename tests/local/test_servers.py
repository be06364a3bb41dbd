"""Private servers: real ones, whoever we are, and gone afterwards."""

import os
from pathlib import Path

import psycopg
import pytest
from django.db import connection
from redis import Redis

from pentathlon.local.servers import postgres, valkey
from pentathlon.local.servers.processes import ServerFailed
from pentathlon.local.servers.runtime import runtime_folder


def test_database_is_a_real_postgresql(db: None) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT version()")
        version = cursor.fetchone()[0]

    assert version.startswith("PostgreSQL")


def test_broker_is_a_real_valkey() -> None:
    with Redis.from_url(os.environ["REDIS_URL"]) as client:
        info = client.info("server")

    assert info["server_name"] == "valkey"


@pytest.mark.deep
def test_postgresql_needs_no_namespace(monkeypatch: pytest.MonkeyPatch) -> None:
    """As root, a copy of the binaries runs as nobody; any other user runs them directly."""
    monkeypatch.setattr(postgres, "_namespace", lambda: None)

    with (
        runtime_folder() as folder,
        postgres.running_postgres(folder) as url,
        psycopg.connect(url) as it,
    ):
        found = it.execute("SELECT current_database()").fetchone()

    assert found == ("pentathlon",)


def test_user_without_a_name_is_told_what_to_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres, "_namespace", lambda: None)
    monkeypatch.setattr(postgres, "_has_name", lambda uid: False)
    monkeypatch.setattr(os, "geteuid", lambda: 12345)

    with (
        pytest.raises(ServerFailed, match="needs a user with a name: set DATABASE_URL"),
        postgres.running_postgres(tmp_path),
    ):
        pass


def test_stopped_servers_leave_nothing_behind() -> None:
    with (
        runtime_folder() as folder,
        postgres.running_postgres(folder),
        valkey.running_valkey(folder) as url,
    ):
        assert valkey.answers(url)

    assert not valkey.answers(url)
    assert not folder.exists()


def test_crashed_postgresql_starts_again_with_what_was_committed() -> None:
    with runtime_folder() as folder:
        server = postgres.PostgresServer(folder, settings=("fsync=off",))
        server.create()
        try:
            with psycopg.connect(server.url, autocommit=True) as it:
                it.execute("CREATE TABLE kept AS SELECT 7 AS number")
                server.crash()
            server.start()
            with psycopg.connect(server.url) as it:
                found = it.execute("SELECT number FROM kept").fetchone()
        finally:
            server.stop()

    assert found == (7,)


def test_missing_wheel_is_said_with_the_way_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(valkey, "find_spec", lambda name: None)
    monkeypatch.setattr(postgres, "find_spec", lambda name: None)

    with pytest.raises(ServerFailed, match="set REDIS_URL"), valkey.running_valkey(tmp_path):
        pass
    with (
        pytest.raises(ServerFailed, match="set DATABASE_URL"),
        postgres.running_postgres(tmp_path),
    ):
        pass


def test_broken_set_up_is_reported_with_the_words_of_the_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres, "_INITDB", ("--no-such-option",))

    with (
        runtime_folder() as folder,
        pytest.raises(ServerFailed, match=r"(?s)could not be set up.*no-such-option"),
        postgres.running_postgres(folder),
    ):
        pass
