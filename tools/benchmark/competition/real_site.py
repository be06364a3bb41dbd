"""A platform of its own for a measurement: `up`, and a process that reads its database."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from pentathlon.env import child_environment
from pentathlon.local.servers.ports import free_port
from pentathlon.local.servers.readiness import ServerFailed
from pentathlon.local.servers.runtime import runtime_folder
from tools.benchmark.own_site import running_up
from tools.trials import run_trial, trial_environment

SLOTS: Final = 2
TICK_S: Final = 0.1
_PATIENCE_S: Final = 600.0
_FIRST_PORT: Final = 8800
_HOST: Final = "127.0.0.1"


def measure_on_site(
    module: str, arguments: Sequence[str], *, as_json: bool, **variables: str
) -> bool:
    """Run a module that measures, with a database of its own; return whether demands are met.

    `variables` are set in the environment of the platform.
    """
    with runtime_folder() as folder:
        environment = trial_environment(folder, **variables)
        environment.pop("REDIS_URL", None)
        told = [*arguments, "--folder", str(folder), *(["--json"] if as_json else [])]
        return run_trial(module, *told, environment=environment)


@contextmanager
def running_site(folder: Path, *options: str) -> Iterator[None]:
    """Run `up` with `SLOTS` slots on the database of this process, until the block ends."""
    with running_up(
        f"--workers={SLOTS}",
        *options,
        port=free_port(_HOST, _FIRST_PORT),
        output=folder / "up.log",
        environment=child_environment(),
    ) as site:
        site.address()
        yield


def wait_for(what: str, is_true: Callable[[], bool]) -> None:
    """Wait until a condition is true; raise `ServerFailed` after ten minutes."""
    deadline = time.monotonic() + _PATIENCE_S
    while not is_true():
        if time.monotonic() > deadline:
            raise ServerFailed("The platform", f"did not get there: {what}.")
        time.sleep(TICK_S)
