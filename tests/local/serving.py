"""The real web command on a free port, and clients that behave badly."""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from types import MappingProxyType

from pentathlon.env import IMPORT_PATH
from pentathlon.local.servers import processes
from pentathlon.local.servers.processes import last_lines
from tests.patience import PATIENCE_S
from tests.ports import unused_port

_RUN_ALL = """
import json, sys
import django
from django.core.management import call_command
django.setup()
for words in json.loads(sys.argv[1]):
    call_command(*words)
"""
_SERVE = """
import json, sys
from pentathlon.core.server import limits
vars(limits).update(json.loads(sys.argv[1]))
from django.core.management import execute_from_command_line
execute_from_command_line(["manage.py", "serve", "--port", sys.argv[2]])
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """A web process of its own; its database is empty unless it was migrated first."""

    port: int
    process: subprocess.Popen[bytes]
    log: Path

    def get(self, path: str, **headers: str) -> HTTPResponse:
        """Ask politely; the body has been read."""
        return self.send("GET", path, headers=headers)

    def send(
        self, method: str, path: str, body: bytes = b"", headers: dict[str, str] | None = None
    ) -> HTTPResponse:
        """Send one request on a connection of its own."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        try:
            connection.request(method, path, body, headers or {})
            answer = connection.getresponse()
            answer.text = answer.read()  # type: ignore[attr-defined]  # for who asks later
            return answer
        finally:
            connection.close()

    def raw(self, stack: ExitStack, sent: bytes = b"") -> socket.socket:
        """Open a connection that stays open until the stack is left, and send something."""
        client = stack.enter_context(socket.create_connection(("127.0.0.1", self.port)))
        client.settimeout(PATIENCE_S)
        client.sendall(sent)
        return client


def prepare(folder: Path, *commands: tuple[str, ...], **variables: str) -> dict[str, str]:
    """Run commands on the data in a folder; return the environment of all that works on it."""
    ours = {"DATABASE_URL", "REDIS_URL", "DJANGO_SETTINGS_MODULE"}
    environment = {name: value for name, value in os.environ.items() if name not in ours}
    environment |= {
        "DJANGO_SETTINGS_MODULE": "pentathlon.settings",
        "PENTATHLON_DATA": str(folder / "data"),
        "PYTHONPATH": IMPORT_PATH,
        **variables,
    }
    (folder / "data" / "static").mkdir(parents=True, exist_ok=True)
    if commands:
        words = [sys.executable, "-c", _RUN_ALL, json.dumps(commands)]
        subprocess.run(words, env=environment, check=True, timeout=600)
    return environment


@contextmanager
def serving(
    folder: Path,
    *,
    first: Sequence[tuple[str, ...]] = (),
    limits: Mapping[str, float] = MappingProxyType({}),
    variables: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[Site]:
    """Run `serve` with a data folder of its own, after the commands in `first`.

    `limits` replaces limits of the server by their names, `variables` adds to the environment.
    """
    port = unused_port()
    log = folder / "web.log"
    environment = prepare(folder, *first, **variables)
    with log.open("wb") as output:
        process = processes.start(
            [sys.executable, "-c", _SERVE, json.dumps(dict(limits)), str(port)],
            output=output,
            environment=environment,
        )
    site = Site(port=port, process=process, log=log)
    try:
        _wait_for(site)
        yield site
    finally:
        processes.stop(process)


def _wait_for(site: Site) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            site.get("/healthz")
            return
        except OSError:
            assert site.process.poll() is None, last_lines(site.log)
            assert time.monotonic() < deadline, last_lines(site.log)
            time.sleep(0.05)


def read_all(client: socket.socket) -> bytes:
    """Read until the server closes."""
    pieces = []
    while piece := client.recv(65536):
        pieces.append(piece)
    return b"".join(pieces)
