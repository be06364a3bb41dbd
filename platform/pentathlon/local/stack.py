"""The services that make up a whole platform on one machine."""

import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from http import HTTPStatus
from pathlib import Path
from urllib.error import URLError
from urllib.request import ProxyHandler, build_opener

from pentathlon.env import CHECKOUT, IMPORT_PATH, child_environment, read_environment
from pentathlon.local.servers.valkey import answers, valkey_binary, valkey_command, valkey_url
from pentathlon.local.supervisor import Service
from pentathlon.roles import worker_command

_PROBE_S = 2
_NEAR = {"127.0.0.1": "localhost", "::1": "localhost", "0.0.0.0": "localhost", "::": "localhost"}  # noqa: S104
"""How this machine reaches an address that a server listens on."""
_OWN_ONLY = {"127.0.0.1", "::1", "localhost"}
# This machine's own pages must not be requested through a proxy.
_direct = build_opener(ProxyHandler({}))


@dataclass(frozen=True, slots=True, kw_only=True)
class Stack:
    """The addresses and limits of a local platform."""

    host: str
    port: int
    workers: int
    folder: Path
    """A folder with a short path, for the broker's socket."""
    redis_url: str | None
    """The address of a broker that runs already; without it, one is started if possible."""
    engines: Path | None = None
    """The folder of the compiled engines; without it, the sources are used."""

    @property
    def address(self) -> str:
        """The site's address."""
        return f"http://{_in_address(_NEAR.get(self.host, self.host))}:{self.port}"

    def services(self) -> list[Service]:
        """Return all services, each after those that it depends on."""
        return list(self._services())

    def worker_with(self, engines: Path) -> Service:
        """Return the service of a worker that plays with these compiled engines."""
        return replace(self, engines=engines).services()[-1]

    def _services(self) -> Iterator[Service]:
        url = self.redis_url
        binary = valkey_binary()
        if url is None and binary is not None:
            socket = self.folder / "valkey.sock"
            url = valkey_url(socket)
            yield _broker(binary, socket, url)
        environment = self._environment(url)
        yield self._web(environment)
        yield _reconciler(environment)
        yield self._worker(environment)

    def _environment(self, redis_url: str | None) -> dict[str, str]:
        path = [IMPORT_PATH] if self.engines is None else [str(self.engines), IMPORT_PATH]
        changes = {"PYTHONPATH": os.pathsep.join(path), "PYTHONUNBUFFERED": "1"}
        if redis_url is not None:
            changes["REDIS_URL"] = redis_url
        if self.host not in _OWN_ONLY and not read_environment().hosts:
            changes["PENTATHLON_HOSTS"] = "*"  # on a network, the site is reached by many names
        return child_environment(**changes)

    def _web(self, environment: dict[str, str]) -> Service:
        return Service(
            name="web",
            command=[
                *(sys.executable, CHECKOUT / "manage.py", "serve"),
                *("--host", self.host, "--port", str(self.port)),
            ],
            environment=environment,
            vital=True,
            is_ready=lambda: _is_ready(f"{self.address}/readyz"),
        )

    def _worker(self, environment: dict[str, str]) -> Service:
        return Service(
            name="worker",
            command=worker_command(slots=self.workers),
            environment=environment,
        )


def _broker(binary: Path, socket: Path, url: str) -> Service:
    return Service(
        name="broker",
        command=valkey_command(binary, socket),
        vital=True,
        is_ready=lambda: answers(url),
        is_first=True,
    )


def _reconciler(environment: dict[str, str]) -> Service:
    return Service(
        name="reconciler",
        command=[sys.executable, CHECKOUT / "manage.py", "reconcile"],
        environment=environment,
    )


def _in_address(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _is_ready(url: str) -> bool:
    with suppress(URLError, OSError), _direct.open(url, timeout=_PROBE_S) as answer:
        return bool(answer.status == HTTPStatus.OK)
    return False
