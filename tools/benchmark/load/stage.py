"""Private databases for measurements: each run has its own, gone when it ends."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final

from django.core.management.base import CommandError

from pentathlon.local.servers.ports import free_port
from pentathlon.local.servers.postgres import running_postgres
from pentathlon.local.servers.runtime import runtime_folder
from pentathlon.local.servers.valkey import running_valkey
from tools.trials import run_trial, trial_environment
from tools.worker_broker import VARIABLE, broker_options, worker_broker

DATABASES: Final = ("sqlite", "postgres")
_HOST: Final = "127.0.0.1"
_FIRST_PORT: Final = 19_500


def offer_database(parser: ArgumentParser) -> None:
    """Add the options of every measurement with a database of its own."""
    parser.add_argument("--database", choices=DATABASES, help="both by default")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run_on(
    options: dict[str, Any],
    module: str,
    arguments: Sequence[str],
    *,
    has_broker: bool = False,
) -> None:
    """Run a module on a fresh database of each kind; raise if one run misses a demand."""
    missed = []
    for kind in [options["database"]] if options["database"] else DATABASES:
        with own_database(kind) as (folder, url), ExitStack() as ends:
            broker = {}
            if has_broker:
                way = broker[VARIABLE] = worker_broker(free_port(_HOST, _FIRST_PORT))
                server = running_valkey(folder, *broker_options(way))
                broker["REDIS_URL"] = ends.enter_context(server)
                broker["PENTATHLON_BOT_MATCHES"] = "1000"  # one bot may play all of them
                broker["PENTATHLON_STARVED_SHARE"] = "2"  # other programs hold back no slot
            environment = trial_environment(folder, DATABASE_URL=url, **broker)
            form = ["--json"] if options["json"] else []
            is_met = run_trial(module, *arguments, *form, environment=environment)
        if not is_met:
            missed.append(kind)
    if missed:
        raise CommandError(f"The demands are not met on {' and '.join(missed)}; see above.")


def read_options(*sizes: str, words: Sequence[str] = ()) -> Namespace:
    """Return the options from `run_on`: numbers and words by name, and whether to print JSON."""
    parser = ArgumentParser()
    for size in sizes:
        parser.add_argument(f"--{size}", type=int, required=True)
    for word in words:
        parser.add_argument(f"--{word}", required=True)
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


@contextmanager
def own_database(kind: str) -> Iterator[tuple[Path, str]]:
    """Make an empty database; yield a folder and the database's address."""
    with runtime_folder() as folder:
        if kind == "sqlite":
            yield folder, f"sqlite:///{folder}/load.sqlite3"
            return
        with running_postgres(folder) as url:
            yield folder, url
