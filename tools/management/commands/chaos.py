"""`manage.py chaos`: play tournaments while processes are killed; check that nothing is lost."""

import secrets
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from pentathlon.env import UNLIMITED
from pentathlon.local.servers.postgres import PostgresServer
from pentathlon.local.servers.runtime import runtime_folder
from pentathlon.local.servers.valkey import valkey_url
from pentathlon_engines import GAMES
from tools.chaos.clock import Clock
from tools.chaos.run import free_port_here
from tools.trials import run_trial, trial_environment
from tools.worker_broker import VARIABLE, worker_broker

_LEAST = {"matches": 12, "faults": 0, "workers": 1, "slots": 1, "standalone": 0, "taking": 0}


class Command(BaseCommand):
    """Strike a platform of its own, in a folder of its own, and account for every match."""

    help = __doc__
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the options of the run."""
        parser.add_argument(
            "--matches", type=int, default=1000, help="minimum number of matches (1000)"
        )
        parser.add_argument(
            "--faults", type=int, default=50, help="number of faults injected over the run (50)"
        )
        parser.add_argument("--database", choices=("sqlite", "postgres"), default="sqlite")
        parser.add_argument(
            "--seed", type=int, help="seed of faults and tournament; random by default"
        )
        parser.add_argument("--game", default="tuned", choices=list(GAMES))
        parser.add_argument("--workers", type=int, default=2, help="worker processes (2)")
        parser.add_argument(
            "--slots", type=int, default=2, help="matches at a time per worker (2)"
        )
        parser.add_argument(
            "--standalone",
            type=int,
            default=2,
            help="workers without keys, each on its own network (2)",
        )
        parser.add_argument(
            "--taking",
            type=int,
            default=1,
            help="how many of them take hints from the broker, not from the site (1)",
        )
        parser.add_argument("--logs", type=Path, help="a folder for the output of the processes")
        parser.add_argument("--json", action="store_true", help="print JSON")

    def handle(self, *args: Any, **options: Any) -> None:  # Any: Django's own signature
        """Run in a process with its own database and broker."""
        for name, least in _LEAST.items():
            if options[name] < least:
                raise CommandError(f"--{name}: must be at least {least}, not {options[name]}.")
        seed = secrets.randbelow(2**31) if options["seed"] is None else options["seed"]
        self.stderr.write(f"Seed {seed}: the same --seed strikes in the same order.")
        with runtime_folder() as folder:
            arguments = _arguments(options, seed=seed, folder=folder)
            clock = Clock(folder)
            if not clock.make():
                self.stderr.write("There is no C compiler (cc), so the clock is not struck.")
            environment = _environment(folder, postgres=options["database"] == "postgres")
            environment |= clock.environment
            is_proven = run_trial("tools.chaos", *arguments, environment=environment)
        if not is_proven:
            raise CommandError("This run fails its proof; see above.")


def _arguments(options: dict[str, Any], *, seed: int, folder: Path) -> list[str]:
    arguments = ["--seed", str(seed), "--folder", str(folder)]
    for name in ("matches", "faults", "workers", "slots", "standalone", "taking", "game"):
        arguments += [f"--{name}", str(options[name])]
    arguments += ["--logs", str(options["logs"] or folder / "logs")]
    arguments += ["--postgres"] if options["database"] == "postgres" else []
    return [*arguments, *(["--json"] if options["json"] else [])]


def _environment(folder: Path, *, postgres: bool) -> dict[str, str]:
    database = {"DATABASE_URL": PostgresServer(folder).url} if postgres else {}
    return trial_environment(
        folder,
        REDIS_URL=valkey_url(folder / "valkey.sock"),
        **{VARIABLE: worker_broker(free_port_here())},
        PENTATHLON_LADDER_MATCHES_AN_HOUR=UNLIMITED,
        PENTATHLON_REFERENCE_BOTS="0",
        PENTATHLON_LOG_JSON="1",
        PENTATHLON_LOG_LEVEL="INFO",
        **database,
    )
