"""Start children that cannot outlive their parent, on free ports, and wait until they serve."""

import ctypes
import errno
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import IO, Final

_PR_SET_PDEATHSIG = 1
_STOP_S = 8.0

Output = IO[bytes] | int | None
_TRIES = 50
_LAST: Final = 65_535
_PAUSE_S = 0.02
_LAST_LINES = 20
_PATIENCE_S = 180.0
"""Seconds that even a busy machine may take. A server that has ended is reported at once, so only
one that hangs takes this long."""


def start(
    command: Sequence[str | Path],
    *,
    output: Output = subprocess.DEVNULL,
    environment: Mapping[str, str] | None = None,
    death_signal: signal.Signals = signal.SIGTERM,
    uid: int | None = None,
) -> subprocess.Popen[bytes]:
    """Start `command` in a session of its own; it gets `death_signal` when this process dies.

    Call it from the main thread only: the kernel watches the thread that started the child.
    """
    return subprocess.Popen(
        [os.fspath(part) for part in command],
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT,
        env=environment,
        start_new_session=True,
        user=uid,
        group=uid,
        extra_groups=None if uid is None else [],
        preexec_fn=_tie_to_parent(death_signal),  # noqa: PLW1509  no threads run yet
    )


def stop(
    process: subprocess.Popen[bytes],
    *,
    first: signal.Signals = signal.SIGTERM,
    patience_s: float = _STOP_S,
) -> int:
    """Ask `process` to stop, then kill its whole group; return its exit status."""
    with suppress(ProcessLookupError):
        process.send_signal(first)
    with suppress(subprocess.TimeoutExpired):
        process.wait(patience_s)
    end_group(process)
    return process.wait()


def end_group(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and everything that it has started, as far as they still run."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def children(pid: int) -> Iterator[int]:
    """Yield the ids of the running direct children of a process."""
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):
            yield from map(int, path.read_text().split())


def _tie_to_parent(death_signal: signal.Signals) -> Callable[[], None]:
    if sys.platform != "linux":
        return _nothing
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    parent = os.getpid()

    def tie() -> None:
        prctl(_PR_SET_PDEATHSIG, int(death_signal), 0, 0, 0)
        # The parent may have died before the line above.
        if os.getppid() != parent:
            os._exit(1)

    return tie


def _nothing() -> None:
    """Do nothing: other systems have no parent-death signal, only an orderly stop."""


class NoPort(Exception):
    """Every port that was tried is taken."""

    code = "no_port"


class BadAddress(Exception):
    """A host or a port that no process can listen on here."""

    code = "bad_address"


def free_port(host: str, wanted: int) -> int:
    """Return `wanted`, or the next port above it that is free."""
    if not 1 <= wanted <= _LAST:
        raise BadAddress(f"--port takes a number from 1 to {_LAST}, not {wanted}.")
    last = min(wanted + _TRIES - 1, _LAST)
    for port in range(wanted, last + 1):
        if _is_free(host, port):
            return port
    raise NoPort(f"Ports {wanted} to {last} are all taken: name another by --port.")


def _is_free(host: str, port: int) -> bool:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError) as error:
        raise BadAddress(f"--host {host} is not an address: the name is unknown.") from error
    family, kind, _, _, address = found[0]
    with closing(socket.socket(family, kind)) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(address)
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                return False
            raise BadAddress(f"Cannot listen on {host}, port {port}: {error.strerror}.") from error
    return True


class ServerFailed(Exception):
    """A server that did not start; the error carries the end of its output."""

    code = "server_failed"

    def __init__(self, name: str, reason: str, log: str = "") -> None:
        super().__init__(f"{name} {reason}" + (f"\n{log}" if log else ""))
        self.name = name


def wait_until_ready(
    is_ready: Callable[[], bool],
    *,
    name: str,
    process: subprocess.Popen[bytes],
    log: Path,
    patience_s: float = _PATIENCE_S,
) -> None:
    """Wait until `is_ready()`; raise `ServerFailed` if the process ends or takes too long."""
    deadline = time.monotonic() + patience_s
    while not is_ready():
        if process.poll() is not None:
            raise ServerFailed(name, f"ended with code {process.returncode}.", last_lines(log))
        if time.monotonic() > deadline:
            raise ServerFailed(name, f"was not ready after {patience_s:g} s.", last_lines(log))
        time.sleep(_PAUSE_S)


def last_lines(log: Path) -> str:
    """Return the end of a log file."""
    lines = log.read_text(errors="replace").splitlines() if log.exists() else []
    return "\n".join(lines[-_LAST_LINES:])
