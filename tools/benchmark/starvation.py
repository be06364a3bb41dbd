"""The command behind `bench starvation`: clients that block the web server, costly uploads."""

import io
import json
import random
import re
import socket
import subprocess
import sys
import time
from argparse import ArgumentParser
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from http import HTTPStatus
from http.client import HTTPConnection
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

from django.core.management.base import CommandError
from rich.console import Console
from rich.table import Table

from pentathlon.env import CHECKOUT
from pentathlon.fleet.hints import PATH
from pentathlon.fleet.queues import QUEUES
from pentathlon.local.servers import processes
from pentathlon.local.servers.processes import free_port, wait_until_ready
from pentathlon_engines.archive.files import LARGEST_MODEL
from tools.benchmark.load.stage import DATABASES, own_database
from tools.benchmark.meter import cpu_s_of
from tools.trials import trial_environment

HELP: Final = "waits of /healthz, a list and a page beside idle, slow and deaf clients; uploads"

LONGEST_WAIT_S: Final = 1.0
_HINTS_S: Final = 20.0
"""How long workers wait for hints: longer than the measurement beside them takes."""
MOST_CPU_S: Final = 2.0
MOST_MEMORY_MB: Final = 200.0

_HOST: Final = "127.0.0.1"
_FIRST_PORT: Final = 18_600
_ASKED: Final = ("/healthz", "/api/v1/matches/", "/bots/")
_ROUNDS: Final = 5
_PATIENCE_S: Final = 60
_LARGE_FILE: Final = "/static/drf_spectacular_sidecar/swagger-ui-dist/swagger-ui-bundle.js"
_GET: Final = "GET {} HTTP/1.1\r\nHost: localhost\r\n\r\n"
_FORM: Final = (
    "POST /sign-in/ HTTP/1.1\r\nHost: localhost\r\nCookie: csrftoken=made-up\r\n"
    "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 9999\r\n\r\nx"
)
_ATTACKS: Final = {
    "send nothing": "",
    "send a head slowly": "GET / HTTP/1.1\r\nX-Slow: ",
    "send a form slowly": _FORM,
    "do not read": _GET.format(_LARGE_FILE) * 8,
}
_WAITING: Final = "wait for hints, as workers without a broker"
_SLOW: Final = ("send a head slowly", "send a form slowly")
_HALF_MB: Final = 8 * 1024 * 1024 - 4096
_PERSON: Final = ("bench", "starvation-bench")


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """One figure and its demand."""

    what: str
    measured: float
    demanded: float
    unit: str

    @property
    def is_met(self) -> bool:
        """Whether the figure is as small as demanded."""
        return self.measured <= self.demanded


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """The web server under test."""

    port: int
    secret: str = ""
    """The secret of a worker token, with which clients wait for hints."""

    def ask(
        self, method: str, path: str, body: bytes = b"", headers: dict[str, str] | None = None
    ) -> tuple[int, bytes]:
        """Send one request; return status and body."""
        connection = HTTPConnection(_HOST, self.port, timeout=_PATIENCE_S)
        try:
            connection.request(method, path, body, headers or {})
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def answers(self) -> bool:
        """Return whether the site is up."""
        try:
            return self.ask("GET", "/healthz")[0] == HTTPStatus.OK
        except OSError:
            return False

    def connect(self, stack: ExitStack, sent: str) -> socket.socket:
        """Open a connection that stays open as long as the stack, and send something."""
        client = stack.enter_context(socket.create_connection((_HOST, self.port)))
        client.settimeout(_PATIENCE_S)
        client.sendall(sent.encode())
        return client


def add_arguments(parser: ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("--connections", type=int, nargs="+", default=[10, 200])
    parser.add_argument("--database", choices=DATABASES, help="both by default")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(options: dict[str, Any]) -> None:  # Any: Django's own shape
    """Measure on a web process and databases of its own; fail when a demand is missed."""
    every: list[Measurement] = []
    for kind in [options["database"]] if options["database"] else DATABASES:
        with own_database(kind) as (folder, url), _serve(folder, url) as (site, web):
            lines = [*_waits(site, options["connections"]), *_uploads(site, web.pid)]
        every += [replace(line, what=f"{kind}: {line.what}") for line in lines]
    _show(every, as_json=options["json"])
    judge(every)


def judge(lines: list[Measurement]) -> None:
    """Fail if a figure is larger than demanded."""
    missed = [line.what for line in lines if not line.is_met]
    if missed:
        raise CommandError(f"{len(missed)} demands are missed: {', '.join(missed)}.")


@contextmanager
def _serve(folder: Path, url: str) -> Iterator[tuple[Site, subprocess.Popen[bytes]]]:
    environment = trial_environment(
        folder, REDIS_URL="", DATABASE_URL=url, DJANGO_SUPERUSER_PASSWORD=_PERSON[1]
    )
    name = ("createsuperuser", "--noinput", "--username", _PERSON[0], "--email", "b@example.org")
    token = ("worker_token", "create", "bench", "--to", str(folder / "token"))
    for command in (("migrate", "-v0"), ("collectstatic", "--noinput", "-v0"), name, token):
        subprocess.run(
            [sys.executable, "-m", "django", *command],
            cwd=CHECKOUT,
            env=environment,
            check=True,
            stdout=subprocess.DEVNULL,
        )
    site = Site(port=free_port(_HOST, _FIRST_PORT), secret=(folder / "token").read_text().strip())
    log = folder / "web.log"
    with log.open("wb") as output:
        web = processes.start(
            [sys.executable, "-m", "django", "serve", "--port", str(site.port)],
            output=output,
            environment=environment,
        )
    try:
        wait_until_ready(site.answers, name="The web server", process=web, log=log)
        yield site, web
    finally:
        processes.stop(web)


def _waits(site: Site, counts: list[int]) -> Iterator[Measurement]:
    for count in counts:
        for what, sent in {**_ATTACKS, _WAITING: _hints(site)}.items():
            with ExitStack() as stack:
                clients = [site.connect(stack, sent) for _ in range(count)]
                waits: dict[str, list[float]] = {path: [] for path in _ASKED}
                for _ in range(_ROUNDS):
                    if what in _SLOW:
                        _drip(clients)
                    for path in _ASKED:
                        waits[path].append(_time_of(partial(site.ask, "GET", path)))
                for path, taken in waits.items():
                    yield Measurement(
                        what=f"{path} while {count} {what}",
                        measured=max(taken),
                        demanded=LONGEST_WAIT_S,
                        unit="s",
                    )


def _hints(site: Site) -> str:
    body = json.dumps({"queues": QUEUES, "wait_s": _HINTS_S})
    return (
        f"POST {PATH} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {site.secret}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}"
    )


def _drip(clients: list[socket.socket]) -> None:
    for client in clients:
        with suppress(OSError):  # the server has hung up
            client.sendall(b"x")


def _uploads(site: Site, pid: int) -> Iterator[Measurement]:
    token = _token(site)
    for what, archive in _archives():
        _forget_peak(pid)
        before_mb, before_s = _peak_mb(pid), cpu_s_of([pid])
        status = _upload(site, archive, token)
        said = f"upload of {what} ({len(archive) / 1e6:.1f} MB, answered {status})"
        cpu_s, memory_mb = cpu_s_of([pid]) - before_s, _peak_mb(pid) - before_mb
        yield Measurement(what=f"CPU, {said}", measured=cpu_s, demanded=MOST_CPU_S, unit="s")
        yield Measurement(
            what=f"memory, {said}", measured=memory_mb, demanded=MOST_MEMORY_MB, unit="MB"
        )


def _archives() -> Iterator[tuple[str, bytes]]:
    """Yield archives that cost the most to check and are accepted, or nearly so."""
    rng = random.Random(1)
    noise = [rng.randbytes(_HALF_MB) for _ in range(2)]
    # Input that gives deflate's longest searches the most to do.
    dull = [bytes(rng.choices(b"ab", k=_HALF_MB)) for _ in range(2)]
    runs = [b"".join(noise[0][i : i + 3] + b"abc" for i in range(0, _HALF_MB // 2, 3))] * 2
    yield "noise", _zip(noise, stored=True)
    yield "two letters", _zip(dull)
    yield "repeated triples", _zip([part[:_HALF_MB] for part in runs])
    weights = {"policy.onnx": b"\x08" + rng.randbytes(LARGEST_MODEL - 1)}
    yield "a model and noise", _zip(noise, stored=True, model=weights)
    yield "200 files", _zip([noise[0][: _HALF_MB // 100]] * 198, stored=True)
    yield "a manifest of one long key", _zip([], manifest=".".join("a" * 31_000) + " = 1")


def _zip(
    contents: list[bytes],
    *,
    stored: bool = False,
    manifest: str = "",
    model: Mapping[str, bytes] = MappingProxyType({}),
) -> bytes:
    target = io.BytesIO()
    kind = ZIP_STORED if stored else ZIP_DEFLATED
    name = f"bench-{time.monotonic_ns()}"
    table = f'name = "{name}"\ngames = ["tuned"]\nlanguage = "python"\nmain = "main.py"\n'
    table += "".join(f'model = "{name}"\n' for name in model)
    with ZipFile(target, "w", kind, compresslevel=1) as archive:
        archive.writestr("bot.toml", manifest or table)
        archive.writestr("main.py", "print()\n")
        for number, content in enumerate(contents):
            archive.writestr(f"{number}.bin", content)
        for path, content in model.items():
            archive.writestr(path, content)
    return target.getvalue()


def _upload(site: Site, archive: bytes, token: str) -> int:
    border = "border-of-the-parts"
    head = (
        f'--{border}\r\nContent-Disposition: form-data; name="archive"; filename="bot.zip"\r\n'
        "Content-Type: application/zip\r\n\r\n"
    )
    body = head.encode() + archive + f"\r\n--{border}--\r\n".encode()
    headers = {
        "Authorization": f"Bearer {token}",
        "Content-Type": f"multipart/form-data; boundary={border}",
    }
    return site.ask("POST", "/api/v1/bots/", body, headers)[0]


def _token(site: Site) -> str:
    login = b64encode(":".join(_PERSON).encode()).decode()
    headers = {"Authorization": f"Basic {login}", "Content-Type": "application/json"}
    status, body = site.ask("POST", "/api/v1/tokens/", b'{"name": "bench"}', headers)
    if status != HTTPStatus.CREATED:
        raise CommandError(f"No token was made: {body.decode()}")
    return str(json.loads(body)["token"])


def _time_of(action: Callable[[], object]) -> float:
    began = time.monotonic()
    action()
    return time.monotonic() - began


def _forget_peak(pid: int) -> None:
    Path(f"/proc/{pid}/clear_refs").write_text("5")


def _peak_mb(pid: int) -> float:
    found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    return int(found[1]) / 1024 if found else 0.0


def _show(lines: list[Measurement], *, as_json: bool) -> None:
    if as_json:
        rows = [
            {"what": line.what, "measured": line.measured, "demanded": line.demanded}
            for line in lines
        ]
        print(json.dumps(rows, indent=2))  # noqa: T201  the requested output
        return
    table = Table("", "measured", "at most", "")
    for line in lines:
        figures = (f"{line.measured:.2f} {line.unit}", f"{line.demanded:g} {line.unit}")
        table.add_row(line.what, *figures, "" if line.is_met else "MISSED")
    Console(width=120).print(table)
