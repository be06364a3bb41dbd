"""Private databases for measurements: each run has its own, gone when it ends."""

import json
import sys
from argparse import Namespace
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from django.core.management.base import CommandError

from pentathlon.local.servers.postgres import running_postgres
from pentathlon.local.servers.processes import free_port
from pentathlon.local.servers.runtime import runtime_folder
from pentathlon.local.servers.valkey import running_valkey
from tools.trials import run_trial, trial_environment
from tools.worker_broker import VARIABLE, broker_options, worker_broker

DATABASES: Final = ("sqlite", "postgres")
_HOST: Final = "127.0.0.1"
_FIRST_PORT: Final = 19_500
_BROKER: Final = {
    "PENTATHLON_LOG_LEVEL": "WARNING",
    "PENTATHLON_BOT_MATCHES": "1000",  # one bot may play all of them
    "PENTATHLON_STARVED_SHARE": "2",  # other programs hold back no slot
}


def run_on(
    kinds: Sequence[str],
    module: str,
    arguments: Sequence[str],
    *,
    has_broker: bool = False,
    **variables: str,
) -> None:
    """Run a module on a fresh database of each kind; raise if one run misses a demand."""
    missed = []
    for kind in kinds:
        with own_database(kind) as (folder, url), ExitStack() as ends:
            broker = {}
            if has_broker:
                way = worker_broker(free_port(_HOST, _FIRST_PORT))
                server = ends.enter_context(running_valkey(folder, *broker_options(way)))
                broker = {**_BROKER, "REDIS_URL": server, VARIABLE: way}
            environment = trial_environment(folder, DATABASE_URL=url, **broker, **variables)
            if not run_trial(module, *arguments, environment=environment):
                missed.append(kind)
    if missed:
        raise CommandError(
            f"The demands are not met on {' and '.join(missed)}, or the measurement broke off; "
            "see above."
        )


def read_options(*names: str) -> Namespace:
    """Return these options that a part of `bench` gave to this process, and `json`."""
    options = json.loads(sys.argv[1])
    return Namespace(json=options["json"], **{name: options[name] for name in names})


@contextmanager
def own_database(kind: str) -> Iterator[tuple[Path, str]]:
    """Make an empty database; yield a folder and the database's address."""
    with runtime_folder() as folder:
        if kind == "sqlite":
            yield folder, f"sqlite:///{folder}/load.sqlite3"
            return
        with running_postgres(folder) as url:
            yield folder, url
