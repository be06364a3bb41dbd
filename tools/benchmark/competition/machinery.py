"""What batches, pages, a recompute and a close cost in a real database."""

from __future__ import annotations

import gc
import random
import sys
import time
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Final

import django
from rich.console import Console

django.setup()

# Models exist only from here on.
from django.db import connection  # noqa: E402
from django.test import Client  # noqa: E402

from pentathlon.local.preparation import prepare_database, prepare_static_files  # noqa: E402
from pentathlon.ratings.models import Pool  # noqa: E402
from pentathlon.ratings.recomputing import recompute_pool  # noqa: E402
from pentathlon.ratings.services import open_live_pool  # noqa: E402
from pentathlon.tournaments.models import Tournament, TournamentState  # noqa: E402
from pentathlon.tournaments.scheduling import extend_schedule  # noqa: E402
from pentathlon.tournaments.services import (  # noqa: E402
    close_finished,
    create_tournament,
    start_tournament,
)
from pentathlon_engines.tournament.document import TournamentDocument  # noqa: E402
from tools.benchmark.competition.demands import Demand, show_demands  # noqa: E402
from tools.benchmark.load.data import (  # noqa: E402
    GAME,
    Cast,
    Writer,
    add_tournament,
    count_all_scores,
    make_cast,
)
from tools.benchmark.load.stage import read_options  # noqa: E402
from tools.benchmark.load.tables import analyse  # noqa: E402
from tools.benchmark.progress import Say, show_progress  # noqa: E402

_BOTS: Final = 300
_ON_A_TABLE: Final = 20
_SEATS: Final = 5
_SHORT: Final = 398
_RUNS: Final = 25
_NEW_DRAWS: Final = 0.07
"""Another draw probability moves every rating."""


def main() -> int:
    """Fill the database step by step and measure; print what was demanded beside."""
    options = read_options("batches", "matches", "results", "close")
    with show_progress(Console(stderr=True)) as say:
        prepare_database()
        prepare_static_files()
        cast = make_cast(bots=_BOTS)
        demands = [
            *_batches(cast, options.batches, say),
            *_pages(cast, options.matches, say),
            *_close(cast, options.close, say),
            *_recompute(cast, options.results, say),
        ]
    title = f"Tournaments on {connection.vendor}"
    return show_demands(title, demands, as_json=options.json)


def _batches(cast: Cast, number: int, say: Say) -> Iterator[Demand]:
    """Make the first batches of a large round robin."""
    say(f"{number} batches of a round robin of {_BOTS} bots")
    document = TournamentDocument(game=GAME, scheduler="round_robin/2", table_seats=2)
    small, large = (
        _started(cast, document, name=f"{bots} bots", bots=bots) for bots in (4, _BOTS)
    )
    before = _Memory()
    spent: list[tuple[int, float]] = []
    while (made := large.batches.count()) <= number:
        started = time.process_time()
        if not extend_schedule(tournament_id=large.pk):
            break
        spent.append((max(made, 1), time.process_time() - started))
    # A part may begin a batch: it is counted to the one before, which makes that no cheaper.
    by_batch = [sum(s for _, s in part) for _, part in groupby(spent, key=lambda one: one[0])]
    name = f"round robin of {_BOTS} bots, stored"
    yield Demand(
        name=f"{name}: CPU s of the dearest batch",
        measured=max(by_batch),
        most=1,
        remark=f"{len(by_batch)} batches, {large.tournament_matches.count():,} matches",
    )
    yield Demand(name=f"{name}: MiB over idle", measured=before.grown_mib(), most=30)
    Tournament.objects.filter(pk__in=(small.pk, large.pk)).update(state=TournamentState.PAUSED)


def _started(cast: Cast, document: TournamentDocument, *, name: str, bots: int) -> Tournament:
    made = create_tournament(
        actor=cast.owner, name=name, document=document, versions=cast.versions[:bots]
    )
    return start_tournament(actor=cast.owner, tournament=made)


def _pages(cast: Cast, matches: int, say: Say) -> Iterator[Demand]:
    """Read the pages of two tournaments of the same bots."""
    say(f"the table of {matches} matches")
    versions = cast.versions[:_ON_A_TABLE]
    found = []
    for length in (_SHORT, matches):
        made = add_tournament(cast.owner, versions, TournamentState.RUNNING)
        writer = Writer(versions, random.Random(1), total=length)
        writer.add(made, done=length, waiting=0)
        writer.close()
        found.append(made)
    count_all_scores()
    analyse()
    # In turns, so that both meet the same machine.
    times = [[_page_s(f"/tournaments/{made.pk}/") for made in found] for _ in range(_RUNS)]
    short, long = (min(column) for column in zip(*times, strict=True))
    Tournament.objects.filter(pk__in=[made.pk for made in found]).update(
        state=TournamentState.CLOSED
    )
    yield Demand(
        name=f"page of {matches:,} matches / page of {_SHORT}, {_ON_A_TABLE} bots",
        measured=long / short,
        most=1.3,
        remark=f"{1000 * long:.0f} ms, {1000 * short:.0f} ms",
    )


def _page_s(path: str) -> float:
    client = Client(headers={"host": "localhost"})
    started = time.perf_counter()
    answer = client.get(path)
    took_s = time.perf_counter() - started
    if answer.status_code != 200:  # noqa: PLR2004  the one that counts
        sys.exit(f"{path} answered {answer.status_code}.")
    return took_s


def _close(cast: Cast, matches: int, say: Say) -> Iterator[Demand]:
    """Make the final table of a tournament at large tables."""
    say(f"close of {matches} matches of {_SEATS} seats")
    versions = cast.versions[:100]
    made = add_tournament(cast.owner, versions, TournamentState.CLOSED)
    Tournament.objects.filter(pk=made.pk).update(table_seats=_SEATS)
    writer = Writer(versions, random.Random(2), total=matches, seats=_SEATS)
    writer.add(made, done=matches, waiting=0)
    writer.close()
    count_all_scores()
    analyse()
    Tournament.objects.filter(pk=made.pk).update(
        state=TournamentState.RUNNING, finished_at=None, is_fully_scheduled=True
    )
    started = time.monotonic()
    closed = close_finished()
    took_s = time.monotonic() - started
    if made.pk not in {each.pk for each in closed}:
        sys.exit("The tournament was not closed.")
    yield Demand(
        name=f"close of {matches:,} matches of {_SEATS} seats: s", measured=took_s, most=30
    )


def _recompute(cast: Cast, results: int, say: Say) -> Iterator[Demand]:
    """Write all ratings of a leaderboard anew."""
    made = add_tournament(cast.owner, cast.versions, TournamentState.CLOSED)
    writer = Writer(cast.versions, random.Random(3), total=results)
    say(f"{results} results")
    writer.add(made, done=results, waiting=0)
    writer.close()
    analyse()
    live = open_live_pool(game=GAME)
    Pool.objects.filter(pk=live.pk).update(draw_probability=_NEW_DRAWS, is_stale=True)
    say(f"recompute of {results} results")
    before = _Memory()
    started, cpu = time.monotonic(), time.process_time()
    entered = recompute_pool(pool_id=live.pk)
    took_s, cpu_s = time.monotonic() - started, time.process_time() - cpu
    yield Demand(
        name="recompute of a leaderboard, all changes rewritten: s per 1,000,000 results",
        measured=took_s * 1_000_000 / entered,
        most=120,
        remark=f"{entered:,} results in {took_s:.0f} s, {cpu_s:.0f} s of CPU here",
    )
    yield Demand(
        name="recompute of a leaderboard: MiB over idle", measured=before.grown_mib(), most=30
    )


class _Memory:
    """The peak of this process's memory since it was made."""

    def __init__(self) -> None:
        gc.collect()
        Path("/proc/self/clear_refs").write_text("5")  # the peak starts anew
        self._idle_kib = _status("VmRSS")

    def grown_mib(self) -> float:
        """Return by how much the peak exceeds what there was at first."""
        return (_status("VmHWM") - self._idle_kib) / 1024


def _status(name: str) -> int:
    """Return a figure of this process in KiB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{name}:"))


if __name__ == "__main__":
    sys.exit(main())
