"""A platform of its own for a measurement: `up`, and a process that reads its database."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from pentathlon.env import CHECKOUT
from pentathlon.local import processes
from pentathlon.local.ports import free_port
from pentathlon.local.runtime import runtime_folder
from pentathlon.local.waiting import ServerFailed, last_lines
from tools.trials import run_trial, trial_environment

SLOTS: Final = 2
TICK_S: Final = 0.1
_PATIENCE_S: Final = 600.0
_FIRST_PORT: Final = 8800
_HOST: Final = "127.0.0.1"


def measure_on_site(module: str, arguments: Sequence[str], *, as_json: bool) -> bool:
    """Run a module that measures, with a database of its own; return whether it is satisfied."""
    with runtime_folder() as folder:
        environment = trial_environment(folder)
        environment.pop("REDIS_URL", None)
        told = [*arguments, "--folder", str(folder), *(["--json"] if as_json else [])]
        return run_trial(module, *told, environment=environment)


@contextmanager
def running_up(folder: Path, *options: str) -> Iterator[None]:
    """Run `manage.py up` with `SLOTS` slots on the database of this process."""
    port = free_port(_HOST, _FIRST_PORT)
    log = folder / "up.log"
    command = [sys.executable, str(CHECKOUT / "manage.py"), "up", *options]
    command += [f"--workers={SLOTS}", f"--port={port}"]
    with log.open("wb") as output:
        process = processes.start(command, output=output)
    try:
        wait_for("an address", lambda: _is_up(process, log))
        yield
    finally:
        processes.stop(process)


def wait_for(what: str, is_true: Callable[[], bool]) -> None:
    """Return as soon as something is true; raise `ServerFailed` if that takes ten minutes."""
    deadline = time.monotonic() + _PATIENCE_S
    while not is_true():
        if time.monotonic() > deadline:
            raise ServerFailed("The platform", f"did not get there: {what}.")
        time.sleep(TICK_S)


def _is_up(process: subprocess.Popen[bytes], log: Path) -> bool:
    if process.poll() is not None:
        raise ServerFailed("`up`", "ended.", last_lines(log))
    return "Pentathlon is at" in log.read_text()
