"""`bench api`: the most used calls of the API under load, beside a long history.

A whole `up` serves the history; locust, in the environment of the benchmarks, sends the visitors.
"""

import csv
import json
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from django.conf import settings
from django.core.management.base import CommandError
from django.db import connection

from pentathlon.env import CHECKOUT, child_environment
from pentathlon.local.preparation import prepare_database
from pentathlon.local.servers.processes import children, free_port
from pentathlon.matches.models import Match
from tools.benchmark.demands import Demand, Figures
from tools.benchmark.load.addresses import examples_of
from tools.benchmark.load.data import Cast, add_history, make_cast
from tools.benchmark.load.reconciler import follow_results
from tools.benchmark.meter import private_mib
from tools.benchmark.own_site import Up, running_up
from tools.benchmark.part import BenchPart, Options, SizeOption
from tools.benchmark.progress import Say
from tools.benchmark.speed.command import opponents_python

_HOST: Final = "127.0.0.1"
_FIRST_PORT: Final = 19_100
_VISITORS: Final = Path(__file__).with_name("visitors.py")
_WARM_UP_S: Final = 5
_MOST_MEDIAN_MS: Final = 250.0
"""What a person still takes for "at once", with all visitors in the queue before the answer."""
_MOST_GROWTH_MIB: Final = 16.0


def _measure(options: Options, say: Say) -> Figures:
    """Fill the database, start a site on it, and let visitors read what is read most."""
    python = opponents_python(CHECKOUT / ".venv-bench")
    prepare_database()
    cast = make_cast(bots=options["bots"])
    longest = -(-options["done"] // options["tournaments"])
    add_history(cast, done=options["done"], waiting=0, longest=longest, say=say)
    follow_results(say)
    folder = Path(str(settings.DATA_FOLDER)).parent
    (folder / "paths.json").write_text(json.dumps(list(_most_used(cast))))
    connection.close()
    with running_up(
        *("--no-demo", "--workers=1"),
        port=free_port(_HOST, _FIRST_PORT),
        output=folder / "up.log",
        environment=child_environment(PENTATHLON_LADDERS="0"),
    ) as site:
        command: list[str | Path] = [
            python,
            "-m",
            "locust",
            "-f",
            _VISITORS,
            "--host",
            site.address(),
            "--headless",
        ]
        command += ["-u", str(options["visitors"]), "-r", str(options["visitors"])]
        command += ["--only-summary", "--csv", "visits", "-t"]
        say("visitors, until the site has done what it does only once")
        _send(command, _WARM_UP_S, folder)
        web = _web_process(site)
        memory_mib = private_mib(web)
        say(f"visitors for {options['seconds']} s")
        calls = _send(command, options["seconds"], folder)
        growth = Demand(
            name="MiB more", measured=private_mib(web) - memory_mib, most=_MOST_GROWTH_MIB
        )
    return {**{f"GET {row['Name']}": _figures(row) for row in calls}, "web process": [growth]}


def _send(command: Sequence[str | Path], seconds: int, folder: Path) -> list[dict[str, str]]:
    """Send visitors for some seconds; return the lines of locust's table."""
    ended = subprocess.run(
        [*command, f"{seconds}s"],
        cwd=folder,
        env=child_environment(PYTHONPATH=""),
        capture_output=True,
        text=True,
        check=False,
    )
    with (folder / "visits_stats.csv").open(newline="") as table:
        calls = list(csv.DictReader(table))
    if any(row["Request Count"] == "0" for row in calls):
        raise CommandError(f"No visitor got an answer.\n{ended.stderr[-2000:]}")
    return calls


def _figures(row: Mapping[str, str]) -> list[Demand]:
    return [
        Demand(name="answers a second", measured=float(row["Requests/s"])),
        Demand(name="median, ms", measured=float(row["50%"]), most=_MOST_MEDIAN_MS),
        Demand(name="99 %, ms", measured=float(row["99%"])),
        Demand(name="errors", measured=float(row["Failure Count"]), most=0),
    ]


def _web_process(site: Up) -> int:
    """Return the process of `up` that serves."""
    commands = {pid: Path(f"/proc/{pid}/cmdline") for pid in children(site.process.pid)}
    return next(pid for pid, file in commands.items() if "\0serve\0" in file.read_text())


def _most_used(cast: Cast) -> Iterator[str]:
    examples = {word: values[0] for word, values in examples_of(cast).items()}
    bot, tournament = examples["bots"], examples["tournaments"]
    # The seed of such a match is revealed, so everybody may read its record.
    match = Match.objects.filter(state="done", place__tournament__state="closed").earliest("pk").pk
    yield "/api/v1/games/"
    yield "/api/v1/matches/"
    yield f"/api/v1/matches/{match}/"
    yield f"/api/v1/matches/?bot={bot}"
    yield f"/api/v1/matches/?tournament={tournament}&state=done"
    yield f"/api/v1/replays/{match}/"
    yield f"/api/v1/leaderboards/{examples['leaderboards']}/"
    yield "/api/v1/bots/"
    yield f"/api/v1/bots/{bot}/"
    yield f"/api/v1/tournaments/{tournament}/"
    yield f"/api/v1/tournaments/{tournament}/standings/"


API: Final = BenchPart(
    HELP="answers a second of the most used calls beside a million matches",
    measure=_measure,
    sizes=(
        SizeOption("done", 1_000_000, 1_200, "finished matches"),
        SizeOption("bots", 50_000, 200, "bots that play them"),
        SizeOption("tournaments", 500, 12, "tournaments of the matches"),
        SizeOption("visitors", 8, 4, "visitors who ask again at once"),
        SizeOption("seconds", 60, 5, "how long they ask"),
    ),
)
