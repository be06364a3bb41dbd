"""Start child processes that cannot outlive the process that started them."""

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

_PR_SET_PDEATHSIG = 1
_STOP_S = 8.0

Output = IO[bytes] | int | None


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
