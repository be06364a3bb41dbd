"""Real web processes on the database of this process and on copies of it."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from http.client import HTTPConnection
from pathlib import Path
from subprocess import Popen
from typing import Final
from urllib.parse import urlsplit

from django.conf import settings
from django.db import connection

from pentathlon.env import child_environment, read_environment
from pentathlon.local.servers import processes
from pentathlon.local.servers.ports import free_port
from pentathlon.local.servers.readiness import wait_until_ready

HOST: Final = "127.0.0.1"
_FIRST_PORT: Final = 19_100
_PATIENCE_S: Final = 120.0


@dataclass(frozen=True, slots=True, kw_only=True)
class WebProcess:
    """A web process and the variables by which others work on the same database."""

    port: int
    process: Popen[bytes]
    environment: Mapping[str, str]


def environment_here() -> dict[str, str]:
    """Return the variables of processes that work on the database of this one."""
    return child_environment()


def copy_of_everything(name: str) -> dict[str, str]:
    """Copy the database; return the variables of processes that work on the copy.

    These processes share the broker, but not the cache in it.
    """
    return child_environment(
        DATABASE_URL=_copy_database(name), REDIS_URL=_other_number(str(settings.REDIS_URL))
    )


@contextmanager
def running_web(environment: Mapping[str, str], *, log: Path) -> Iterator[WebProcess]:
    """Run a web process until the block ends."""
    port = free_port(HOST, _FIRST_PORT)
    command = [sys.executable, "-m", "django", "serve", "--host", HOST, "--port", str(port)]
    with log.open("ab") as output:
        process = processes.start(command, output=output, environment=environment)
    try:
        wait_until_ready(
            lambda: _is_ready(port),
            name="The web process", process=process, log=log, patience_s=_PATIENCE_S,
        )  # fmt: skip
        yield WebProcess(port=port, process=process, environment=environment)
    finally:
        processes.stop(process)


def _copy_database(name: str) -> str:
    if connection.vendor == "sqlite":
        copy = Path(str(connection.settings_dict["NAME"])).with_name(f"{name}.sqlite3")
        with connection.cursor() as cursor:
            cursor.execute("VACUUM INTO %s", [str(copy)])
        return f"sqlite:///{copy}"
    own = str(connection.settings_dict["NAME"])
    # Nobody may be connected to a database that is copied.
    connection.close()
    quote = connection.ops.quote_name
    with connection._nodb_cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {quote(name)} TEMPLATE {quote(own)}")
    url = urlsplit(read_environment().database_url or "")
    return url._replace(path=f"/{name}").geturl()


def _other_number(broker: str) -> str:
    return broker.replace("?db=0", "?db=1")


def _is_ready(port: int) -> bool:
    line = HTTPConnection(HOST, port, timeout=_PATIENCE_S)
    try:
        line.request("GET", "/readyz")
        return line.getresponse().status == HTTPStatus.OK
    except OSError:
        return False
    finally:
        line.close()
