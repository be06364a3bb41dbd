"""The memory of every kind of process beside a short history and beside a long one."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from subprocess import Popen
from typing import Final

from pentathlon.env import IMPORT_PATH, child_environment
from pentathlon.fleet.announcements import Work
from pentathlon.fleet.tokens import create_worker_token
from pentathlon.local.servers import processes
from pentathlon.matches.models import Attempt, AttemptState
from tools.benchmark.competition.demands import Demand
from tools.benchmark.load.sites import HOST, WebProcess
from tools.benchmark.meter import private_mib

MOST_RATIO: Final = 1.3
_WATCHED_S: Final = 20.0
_PATIENCE_S: Final = 240.0
"""How long the worker may take to play something beside the long history."""

Sites = Mapping[str, WebProcess]


def make_token(folder: Path) -> Path:
    """Make a worker token, which later copies of the database accept, too; return its file."""
    _, secret = create_worker_token(actor=None, name="load", work=[each.value for each in Work])
    file = folder / "worker-token"
    file.touch(mode=0o600)
    file.write_text(secret)
    return file


def measure_memory(sites: Sites, folder: Path, token: Path) -> Iterator[Demand]:
    """Run a reconciler and a worker on each site; compare the memory of all processes.

    `sites` are named small and large; the large one is that of this process.
    """
    with ExitStack() as ends:
        running = {
            "web": {name: site.process for name, site in sites.items()},
            "reconciler": {
                name: _start(ends, folder / f"reconciler-{name}.log", site.environment,
                             "django", "reconcile")
                for name, site in sites.items()
            },
            "worker": {
                name: _start_worker(ends, folder / f"worker-{name}", site, token)
                for name, site in sites.items()
            },
        }  # fmt: skip
        played = _watch(running)
        found = {
            kind: {name: _largest_mib(process.pid) for name, process in those.items()}
            for kind, those in running.items()
        }
    yield Demand(name="results of the worker beside the long history", measured=played, least=1)
    for kind, mib in found.items():
        yield Demand(
            name=f"memory of the {kind} process, ratio",
            measured=mib["large"] / mib["small"],
            most=MOST_RATIO,
            remark=f"{mib['small']:.0f} MiB, {mib['large']:.0f} MiB",
        )


def _watch(running: Mapping[str, Mapping[str, Popen[bytes]]]) -> int:
    """Wait until all processes have worked for a while; return how many results were accepted."""
    started = time.monotonic()
    taken = Attempt.objects.filter(worker_token__isnull=False, state=AttemptState.ACCEPTED)
    while True:
        time.sleep(1)
        if ended := [kind for kind, two in running.items() for one in two.values() if one.poll()]:
            sys.exit(f"A process ended by itself: {', '.join(ended)}.")
        lasted, played = time.monotonic() - started, taken.count()
        if lasted > _PATIENCE_S or (played and lasted > _WATCHED_S):
            return played


def _start_worker(ends: ExitStack, folder: Path, site: WebProcess, token: Path) -> Popen[bytes]:
    folder.mkdir()
    environment = {
        "PATH": child_environment()["PATH"],
        "PYTHONPATH": IMPORT_PATH,
        "PENTATHLON_DATA": str(folder),
        "PENTATHLON_STARVED_SHARE": "2",  # other programs hold back no slot
    }
    address = f"http://{HOST}:{site.port}"
    options = ("--server", address, "--token-file", str(token), "--slots", "1")
    return _start(ends, folder / "log", environment, "workers", *options, "--data", str(folder))


def _start(
    ends: ExitStack, log: Path, environment: Mapping[str, str], *module: str
) -> Popen[bytes]:
    with log.open("ab") as output:
        command = [sys.executable, "-m", *module]
        process = processes.start(command, output=output, environment=environment)
    ends.callback(processes.stop, process)
    return process


def _largest_mib(pid: int) -> float:
    """Return the memory of a process or, if larger, of a child of it."""
    return max(private_mib(each) for each in (pid, *processes.children(pid)))
