"""The cost of the API with a long history: two real sites, a small and a large one, in turns."""

from __future__ import annotations

import json
import subprocess
import sys
from argparse import Namespace
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from statistics import median
from typing import Final

import django
from rich.console import Console

django.setup()

# Models exist only from here on.
from django.conf import settings  # noqa: E402
from redis import Redis  # noqa: E402

from pentathlon.local.preparation import prepare_database, prepare_static_files  # noqa: E402
from pentathlon.matches.models import Match  # noqa: E402
from tools.benchmark.competition.demands import Demand, show_demands  # noqa: E402
from tools.benchmark.live.ears import Ears  # noqa: E402
from tools.benchmark.live.trial import claim_watched_match, measure_listeners  # noqa: E402
from tools.benchmark.load.addresses import Examples, examples_of  # noqa: E402
from tools.benchmark.load.beside import MOST_RATIO, Sites, make_token, measure_memory  # noqa: E402
from tools.benchmark.load.callers import CLIENTS, Latencies, call_in_turns  # noqa: E402
from tools.benchmark.load.data import Say, add_history, make_cast  # noqa: E402
from tools.benchmark.load.figures import Figure, show  # noqa: E402
from tools.benchmark.load.followers import follow_results  # noqa: E402
from tools.benchmark.load.new_bots import upload_bots  # noqa: E402
from tools.benchmark.load.sites import (  # noqa: E402
    copy_of_everything,
    environment_here,
    running_web,
)
from tools.benchmark.load.stage import read_options  # noqa: E402
from tools.benchmark.meter import private_mib  # noqa: E402
from tools.benchmark.progress import show_progress  # noqa: E402

MOST_LATE_GROWTH_MIB: Final = 16.0
_LEAST_MS: Final = 5.0
"""Shorter times count as this long: they would say more about the clock than about the work."""
_NOISE: Final = "GET /api/v1/games/"
"""An address that reads no history: its ratio shows how far the others can be trusted."""
_CLAIM_ROUNDS: Final = 3
_CLAIM_RUNS: Final = 8
_HUNDREDTH: Final = 100
_PLIES: Final = {"plies": 20, "every": 0.5}


def main() -> int:
    """Fill the database, copy it, fill it up, measure both; return the exit status."""
    sizes = ("small", "large", "waiting", "bots", "tournaments", "requests", "uploads")
    options = read_options(*sizes, "listeners")
    with show_progress(Console(stderr=True)) as say, ExitStack() as ends:
        folder = Path(str(settings.DATA_FOLDER)).parent
        prepare_database()
        token = make_token(folder)  # the copy of the database holds this token, too
        small, examples = _fill(options, say)
        sites = {
            name: ends.enter_context(running_web(environment, log=folder / f"{name}.log"))
            for name, environment in (("small", small), ("large", environment_here()))
        }
        calls = [*_measure_calls(options, sites, examples, say)]
        others = [
            *_measure_claims(sites, say),
            *_measure_uploads(options, sites, say),
            *_measure_listeners(options, sites, examples, say),
            *measure_memory(sites, folder, token),
        ]
    title = f"{options.small:,} done against {options.large:,} done, {CLIENTS} clients each"
    if options.json:
        told = {"calls": [asdict(each) for each in calls]}
        sys.stdout.write(
            json.dumps({**told, "others": [asdict(each) for each in others]}, indent=2) + "\n"
        )
        are_met = all(each.is_met for each in calls) and all(each.is_met for each in others)
        return 0 if are_met else 1
    of_calls = show(title, calls, verdict="p50 ratio", as_json=False)
    return of_calls | show_demands("Beside the long history", others, as_json=False)


def _fill(options: Namespace, say: Say) -> tuple[dict[str, str], Examples]:
    """Make both histories; return the variables of the small site, and examples for the calls."""
    prepare_static_files()
    cast = make_cast(bots=options.bots)
    few = max(1, options.small * options.tournaments // options.large)
    waiting = options.waiting // _HUNDREDTH
    longest = -(-options.small // few)
    add_history(cast, done=options.small, waiting=waiting, longest=longest, say=say)
    follow_results(say)
    say("Copying the small history")
    small = copy_of_everything("small")
    add_history(
        cast,
        done=options.large - options.small,
        waiting=options.waiting - waiting,
        longest=-(-options.large // options.tournaments),
        seed=3,
        say=say,
    )
    follow_results(say)
    return small, examples_of(cast)


def _most_used(examples: Examples) -> Iterator[str]:
    one = {word: found[0] for word, found in examples.items()}
    bot, tournament = one["bots"], one["tournaments"]
    # The seed of such a match is revealed, so everybody may read its record.
    match = Match.objects.filter(state="done", place__tournament__state="closed").earliest("pk").pk
    yield "/api/v1/games/"
    yield "/api/v1/matches/"
    yield f"/api/v1/matches/{match}/"
    yield f"/api/v1/matches/?bot={bot}"
    yield f"/api/v1/matches/?tournament={tournament}&state=done"
    yield f"/api/v1/replays/{match}/"
    yield f"/api/v1/leaderboards/{one['leaderboards']}/"
    yield "/api/v1/bots/"
    yield f"/api/v1/bots/{bot}/"
    yield f"/api/v1/tournaments/{tournament}/"
    yield f"/api/v1/tournaments/{tournament}/standings/"


def _measure_calls(
    options: Namespace, sites: Sites, examples: Examples, say: Say
) -> Iterator[Figure]:
    ports = {name: site.port for name, site in sites.items()}
    for number, path in enumerate(_most_used(examples)):
        say(f"Measuring {path}")
        found = call_in_turns(ports, path, requests=options.requests, number=number)
        yield compare_calls(f"GET {path}", found["small"], found["large"])


def compare_calls(name: str, small: Latencies, large: Latencies) -> Figure:
    """Return the times of both sites for one call; the ratio of the medians counts."""
    measured = {"small, /s": small.per_s, "large, /s": large.per_s}
    for percent in (50, 95, 99):
        for size, latencies in (("small", small), ("large", large)):
            measured[f"{size} p{percent}"] = latencies.percentile_ms(percent)
    ratio = large.percentile_ms(50) / max(small.percentile_ms(50), _LEAST_MS)
    demanded = None if name == _NOISE else MOST_RATIO
    return Figure(name=name, measured=measured, verdict=ratio, demanded=demanded)


def _measure_claims(sites: Sites, say: Say) -> Iterator[Demand]:
    """Publish and claim on both databases in turns, in processes of their own."""
    say("Measuring claims")
    found: dict[str, dict[str, list[float]]] = {name: {} for name in sites}
    for _ in range(_CLAIM_ROUNDS):
        for name, site in sites.items():
            command = [sys.executable, "-m", "tools.benchmark.load.claims", str(_CLAIM_RUNS)]
            ended = subprocess.run(
                command, env=dict(site.environment), capture_output=True, check=False, text=True
            )
            if ended.returncode:
                sys.exit(f"Claims on the {name} site failed: {ended.stderr}")
            for step, times in json.loads(ended.stdout).items():
                found[name].setdefault(step, []).extend(times)
    for step in found["small"]:
        small, large = (1000 * median(found[name][step]) for name in ("small", "large"))
        yield Demand(
            name=f"{step}: ratio, with a hundred times as many waiting",
            measured=large / max(small, _LEAST_MS),
            most=MOST_RATIO,
            remark=f"{small:.1f} ms, {large:.1f} ms",
        )


def _measure_uploads(options: Namespace, sites: Sites, say: Say) -> Iterator[Demand]:
    say(f"Uploading {options.uploads} bots")
    site = sites["large"]
    first, _ = upload_bots(site.port, range(options.uploads // 2))
    half_way = private_mib(site.process.pid)
    rest, took = upload_bots(site.port, range(options.uploads // 2, options.uploads))
    grown = private_mib(site.process.pid) - half_way
    all_of_them = Latencies(first.seconds + rest.seconds)
    ms = " ".join(f"p{each} {all_of_them.percentile_ms(each):.0f}" for each in (50, 95, 99))
    yield Demand(
        name="uploads a second, all of them taken",
        measured=len(rest.seconds) / took,
        remark=f"{options.uploads} uploads, ms: {ms}",
    )
    yield Demand(
        name="memory of the web process, second half of the uploads, MiB more",
        measured=grown,
        most=MOST_LATE_GROWTH_MIB,
    )


def _measure_listeners(
    options: Namespace, sites: Sites, examples: Examples, say: Say
) -> Iterator[Demand]:
    say(f"{options.listeners} listeners")
    (version,) = examples["versions"]
    job = claim_watched_match(int(str(version)))
    site = sites["large"]
    ears = Ears(port=site.port, match=job.match_id, count=options.listeners)
    broker = Redis.from_url(str(settings.REDIS_URL))
    found = measure_listeners(job, ears, broker, web=site.process.pid, asked=_PLIES)
    broker.close()
    for name, (value, most) in found.items():
        yield Demand(name=f"listeners: {name}", measured=value, most=most)


if __name__ == "__main__":
    sys.exit(main())
