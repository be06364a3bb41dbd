"""Keep a few services running, restart those that die, and stop all of them in order.

Children write straight into their log files: nothing blocks and nothing breaks when the
supervisor itself is killed. The kernel then ends the children (see `processes`).
"""

import fcntl
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from pentathlon.local.servers import processes
from pentathlon.local.servers.processes import ServerFailed, last_lines, wait_until_ready

_TICK_S = 0.1
_SETTLED_S = 20.0
"""Seconds after which a service counts as well started, and its earlier deaths are forgotten."""
_SHORTEST_PAUSE_S, _LONGEST_PAUSE_S = 0.5, 30.0
_DOUBLINGS = 20
"""More doublings than any pause needs; a service may die for days."""
_MOST_DEATHS = 3
_SILENCE_S = 3.0
"""Seconds between two messages about a service that takes its time to start."""
_STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

Show = Callable[[str, str], None]
"""A function that shows a line of text; it takes the name of the service and the line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """One process to keep running."""

    name: str
    command: Sequence[str | Path]
    environment: Mapping[str, str] | None = None
    vital: bool = False
    """Whether nothing works without it: if it never comes up, the supervisor gives up."""
    is_ready: Callable[[], bool] | None = None
    """Returns whether the service is up; without it, a service is up once it has lived a while."""
    is_first: bool = False
    """Whether the others are started only when this one is ready."""
    patience_s: float = 8.0


@dataclass(slots=True)
class _Child:
    service: Service
    log: Path
    process: subprocess.Popen[bytes] | None = None
    started: float = 0.0
    deaths: int = 0
    due: float = 0.0
    came_up: bool = False
    shown: int = 0
    """How many bytes of the log have been shown."""


class Supervisor:
    """Runs services in the order given and stops them in the opposite order."""

    def __init__(
        self, services: Sequence[Service], *, logs: Path, show: Show, follow: bool = False
    ) -> None:
        logs.mkdir(parents=True, exist_ok=True)
        self._children = [_Child(service, logs / f"{service.name}.log") for service in services]
        self._show = show
        self._follow = follow
        self._stopping = False

    def start(self) -> None:
        """Start the services and return when all are ready, or when asked to stop."""
        for number in _STOPPING:
            signal.signal(number, self._ask_to_stop)
        for child in self._children:
            if not self._stopping:
                _rotate(child.log)
                self._start(child)
                if child.service.is_first:
                    self._wait_for(child)
        for child in self._children:
            self._wait_for(child)

    def run(self, *, beside: Callable[[], None] = lambda: None) -> None:
        """Restart dead services until a signal asks to stop; raise if a vital one never comes up.

        `beside` is called every now and then; it must be quick.
        """
        while not self._stopping:
            self.tend()
            beside()
            time.sleep(_TICK_S)

    def tend(self) -> None:
        """Look after every service once: restart dead ones, show new lines of the logs."""
        for child in self._children:
            self._look_after(child)
            if self._follow:
                self._show_news(child)

    def replace(self, service: Service) -> None:
        """Stop the service of this name and start this one in its place."""
        child = next(each for each in self._children if each.service.name == service.name)
        if child.process is not None:
            processes.stop(child.process, patience_s=child.service.patience_s)
        child.service, child.deaths = service, 0
        self._start(child)

    def stop(self) -> None:
        """Stop every service, last started first."""
        for child in reversed(self._children):
            if child.process is not None:
                processes.stop(child.process, patience_s=child.service.patience_s)
            child.process = None

    @property
    def is_stopping(self) -> bool:
        """Whether a signal has asked to stop."""
        return self._stopping

    def _ask_to_stop(self, number: int, frame: FrameType | None) -> None:
        self._stopping = True

    def _start(self, child: _Child) -> None:
        with child.log.open("ab") as output:
            child.process = processes.start(
                child.service.command, output=output, environment=child.service.environment
            )
        child.started = time.monotonic()

    def _wait_for(self, child: _Child) -> None:
        service, is_ready = child.service, child.service.is_ready
        if child.process is None or is_ready is None:
            return
        told_at = time.monotonic() + _SILENCE_S

        def is_ready_or_told() -> bool:
            nonlocal told_at
            if self._stopping or is_ready():
                return True
            if time.monotonic() > told_at:
                told_at += _SILENCE_S
                self._show(service.name, f"not ready yet; it logs to {child.log}.")
            return False

        wait_until_ready(is_ready_or_told, name=service.name, process=child.process, log=child.log)
        child.came_up = not self._stopping

    def _look_after(self, child: _Child) -> None:
        now = time.monotonic()
        if child.process is None:
            if now >= child.due:
                self._start(child)
        elif child.process.poll() is not None:
            processes.end_group(child.process)
            self._bury(child, child.process.returncode, now)

    def _show_news(self, child: _Child) -> None:
        with child.log.open("rb") as log:
            log.seek(child.shown)
            whole, newline, _ = log.read().rpartition(b"\n")
        child.shown += len(whole) + len(newline)
        for line in whole.decode(errors="replace").splitlines():
            self._show(child.service.name, line)

    def _bury(self, child: _Child, code: int, now: float) -> None:
        settled = now - child.started > _SETTLED_S
        child.came_up = child.came_up or settled
        child.deaths = 1 if settled else child.deaths + 1
        child.process = None
        name, said = child.service.name, last_lines(child.log)
        # A service that has come up once was started correctly, so the cause may pass.
        if child.service.vital and not child.came_up and child.deaths >= _MOST_DEATHS:
            raise ServerFailed(name, f"ended {child.deaths} times in a row (code {code}).", said)
        pause = _pause_s(child.deaths)
        child.due = now + pause
        self._show(name, f"ended with code {code}; starting it again in {pause:g} s.\n{said}")


def _pause_s(deaths: int) -> float:
    """Return how long to wait after so many deaths in a row, of which there may be thousands."""
    return min(_LONGEST_PAUSE_S, _SHORTEST_PAUSE_S * 2.0 ** min(deaths - 1, _DOUBLINGS))


def _rotate(log: Path) -> None:
    """Keep the log of the run before."""
    if log.exists():
        log.replace(log.with_suffix(".before.log"))


class AlreadyRunning(Exception):
    """Another process uses this data folder."""

    code = "already_running"


@contextmanager
def only_one(data: Path, *, address: str) -> Iterator[None]:
    """Hold the data folder; the kernel frees it however this process ends."""
    with (data / "up.lock").open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            lock.seek(0)
            raise AlreadyRunning(
                f"Pentathlon is running already on {data}: {lock.read().strip()}. "
                "Stop it with Ctrl-C, or set PENTATHLON_DATA to another folder."
            ) from error
        lock.truncate(0)
        lock.write(address)
        lock.flush()
        yield
