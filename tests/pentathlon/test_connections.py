from pathlib import Path

import pytest

from pentathlon import connections
from pentathlon.accounts.letters import NO_MAIL
from pentathlon.env import BadEnvironment, Mode
from pentathlon.roles import Role

DATA = Path("/data")


def test_no_database_url_means_a_file_with_wal_and_immediate() -> None:
    found = connections.database(None, data=DATA)

    assert found["NAME"] == DATA / "pentathlon.sqlite3"
    assert found["OPTIONS"]["transaction_mode"] == "IMMEDIATE"
    assert found["OPTIONS"]["init_command"].startswith("PRAGMA journal_mode=WAL;")


@pytest.mark.parametrize("url", [None, "postgresql://me@db.example/games"])
def test_connections_outlive_a_request(url: str | None) -> None:
    # Opening SQLite anew for each request would be a tenth of the cost of most requests.
    assert connections.database(url, data=DATA)["CONN_MAX_AGE"] == 60


def test_postgresql_url_is_taken_apart() -> None:
    found = connections.database(
        "postgresql://me:p%40ss@db.example:5433/games?sslmode=require", data=DATA
    )

    parts = {key: found[key] for key in ("NAME", "USER", "PASSWORD", "HOST", "PORT")}
    assert parts == {
        "NAME": "games",
        "USER": "me",
        "PASSWORD": "p@ss",
        "HOST": "db.example",
        "PORT": "5433",
    }
    assert found["OPTIONS"]["sslmode"] == "require"


def test_postgresql_behind_a_socket_is_found_by_its_folder() -> None:
    assert (
        connections.database("postgresql://me@/games?host=/run/pg", data=DATA)["HOST"] == "/run/pg"
    )


def test_sqlite_url_names_a_path_from_the_root() -> None:
    found = connections.database("sqlite:///srv/games.sqlite3", data=DATA)

    assert found["NAME"] == Path("/srv/games.sqlite3")


def test_postgresql_url_that_cannot_be_read_is_refused() -> None:
    with pytest.raises(BadEnvironment, match="DATABASE_URL is not an address such as"):
        connections.database("postgresql://me@host:port/games", data=DATA)


@pytest.mark.parametrize("url", ["mysql://x/y", "games.db"])
def test_unknown_database_is_refused(url: str) -> None:
    with pytest.raises(BadEnvironment, match="DATABASE_URL must start with"):
        connections.database(url, data=DATA)


def test_roles_can_be_told_apart_in_the_database() -> None:
    url = "postgresql://me@db.example/games"

    names = {
        role: connections.database(url, data=DATA, role=role)["OPTIONS"]["application_name"]
        for role in Role
    }

    assert names[Role.WEB] == "pentathlon-web"
    assert len({*names.values()}) == len(Role)


def test_production_without_a_mail_server_prints_no_letters() -> None:
    printed = connections.mail(None, mode=Mode.LOCAL)["EMAIL_BACKEND"]

    assert printed == "django.core.mail.backends.console.EmailBackend"
    assert connections.mail(None, mode=Mode.PRODUCTION)["EMAIL_BACKEND"] == NO_MAIL
