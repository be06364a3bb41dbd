"""Real processes of the platform for tests: a broker, workers, reconcilers, a web server."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from django.db import connection

from pentathlon.env import IMPORT_PATH, child_environment
from pentathlon.local.servers import processes
from pentathlon.local.servers.processes import last_lines
from pentathlon.local.servers.runtime import runtime_folder
from pentathlon.local.servers.valkey import running_valkey
from pentathlon.matches.models import Match
from pentathlon.roles import worker_command
from tests.databases import url_of
from tests.patience import PATIENCE_S
from tests.ports import unused_port
from tools.chaos.disks import Disks

_TICK_S = 0.05


@dataclass
class Platform:
    """Processes that share the test's database and a broker of their own."""

    environment: dict[str, str]
    logs: Path
    started: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def start(self, name: str, *arguments: str | Path) -> subprocess.Popen[bytes]:
        """Start a Python program with the platform's settings."""
        return self._start(name, [sys.executable, *arguments])

    def run(self, *arguments: str | Path) -> None:
        """Run a Python program to its end, which must be a good one."""
        process = self._start("run", [sys.executable, *arguments])
        assert process.wait(PATIENCE_S) == 0, self.all_logs()

    def start_worker(
        self, *, slots: int = 1, disks: Disks | None = None
    ) -> subprocess.Popen[bytes]:
        """Start a worker with so many slots, with the options it has in production."""
        command = worker_command(slots=slots)
        return self._start("worker", disks.command(command) if disks else command)

    def start_remote_worker(
        self, site: str, secret: str, *, slots: int = 1, **variables: str
    ) -> subprocess.Popen[bytes]:
        """Start a worker that knows a site's address and a token, and what is in `variables`."""
        bare = {
            "PATH": "/usr/bin:/bin",
            "PYTHONPATH": IMPORT_PATH,
            "PENTATHLON_DATA": str(self.logs / "state"),
            "PENTATHLON_STARVED_SHARE": "2",
            "PENTATHLON_SERVER": site,
            "PENTATHLON_WORKER_TOKEN": secret,
            **variables,
        }
        return self._start("remote-worker", worker_command(slots=slots), bare)

    def start_reconciler(self) -> subprocess.Popen[bytes]:
        """Start a reconciler."""
        return self.start("reconciler", "-m", "django", "reconcile")

    def start_web(self) -> str:
        """Start a web server; return its address."""
        port = unused_port()
        self.start("web", "-m", "django", "serve", "--port", str(port))
        self.eventually(lambda: _listens(port))
        return f"http://127.0.0.1:{port}"

    def eventually(self, is_true: Callable[[], object], *, patience_s: float = PATIENCE_S) -> None:
        """Return as soon as something is true; show the logs if that takes too long."""
        deadline = time.monotonic() + patience_s
        while not is_true():
            assert time.monotonic() < deadline, self.all_logs()
            time.sleep(_TICK_S)

    def stop_while_playing(self, worker: subprocess.Popen[bytes]) -> set[int]:
        """Stop a worker in the middle of a match; return the processes that it has started."""

        def is_caught_playing() -> bool:
            os.killpg(worker.pid, signal.SIGSTOP)
            if Match.objects.live().exists():
                return True
            os.killpg(worker.pid, signal.SIGCONT)
            return False

        self.eventually(is_caught_playing)
        return descendants(worker.pid)

    def all_logs(self) -> str:
        """Return the end of every log."""
        logs = sorted(self.logs.glob("*.log"))
        return "\n".join(f"--- {log.name}\n{last_lines(log)}" for log in logs)

    def _start(
        self,
        name: str,
        command: Sequence[str | Path],
        environment: Mapping[str, str] | None = None,
    ) -> subprocess.Popen[bytes]:
        log = self.logs / f"{name}-{len(self.started)}.log"
        with log.open("wb") as output:
            process = processes.start(
                command, output=output, environment=environment or self.environment
            )
        self.started.append(process)
        return process

    def stop(self) -> None:
        """Stop what still runs."""
        for process in reversed(self.started):
            processes.stop(process)


@contextmanager
def running_platform(folder: Path, *, with_broker: bool = True) -> Iterator[Platform]:
    """Give the means to start processes, and stop them all in the end."""
    with runtime_folder() as short_folder, running_valkey(short_folder) as redis_url:
        environment = child_environment(
            DJANGO_SETTINGS_MODULE="pentathlon.settings",
            # This is the test database, not the one in the DATABASE_URL of this process.
            DATABASE_URL=url_of(connection.settings_dict),
            REDIS_URL=redis_url if with_broker else "",
            PENTATHLON_DATA=str(folder / "data"),
            PENTATHLON_LADDERS="0",  # they would play among the matches of a test
            PYTHONPATH=IMPORT_PATH,
            PYTHONUNBUFFERED="1",
            PENTATHLON_STARVED_SHARE="2",  # a busy machine must hold no slot that a test waits for
        )
        platform = Platform(environment=environment, logs=folder)
        try:
            yield platform
        finally:
            platform.stop()


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill a process with all its children that did not leave its group, without a word."""
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def descendants(pid: int) -> set[int]:
    """Return the ids of all processes that a process has started, and those that they have."""
    children = {child for child, parent in _parents() if parent == pid}
    return children.union(*(descendants(child) for child in children))


def alive(pids: Sequence[int] | set[int]) -> set[int]:
    """Return those of the processes that still run."""
    return {pid for pid, _ in _parents() if pid in pids}


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _parents() -> Iterator[tuple[int, int]]:
    """Yield the ids of each process and its parent, zombies left out."""
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, parent = path.read_text().rpartition(") ")[2].split()[:2]
        except (FileNotFoundError, ProcessLookupError):
            continue
        if state != "Z":
            yield int(path.parent.name), int(parent)
