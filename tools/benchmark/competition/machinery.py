"""The cost of batches, pages, a close, a recompute and the ranking in a real database.

Each part is a process with a database of its own, so that the memory is that of the part alone.
"""

from __future__ import annotations

import random
import subprocess
import sys
import time
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from itertools import groupby
from typing import Final

import django
from rich.console import Console

django.setup()

# Models exist only from here on.
from django.db import connection  # noqa: E402

from pentathlon.local.preparation import prepare_database, prepare_static_files  # noqa: E402
from pentathlon.tournaments.models import Tournament, TournamentState  # noqa: E402
from pentathlon.tournaments.scheduling.schedules import extend_schedule  # noqa: E402
from pentathlon.tournaments.services import (  # noqa: E402
    close_finished,
    create_tournament,
    start_tournament,
)
from pentathlon_engines.tournament.document import TournamentDocument  # noqa: E402
from tools.benchmark.competition.author_ranking import measure_ranking  # noqa: E402
from tools.benchmark.competition.demands import Demand, show_demands  # noqa: E402
from tools.benchmark.competition.memory import MemoryWatch  # noqa: E402
from tools.benchmark.competition.page_costs import page_costs_s  # noqa: E402
from tools.benchmark.competition.recompute import fill_leaderboard, measure_recompute  # noqa: E402
from tools.benchmark.load.data import (  # noqa: E402
    GAME,
    Writer,
    add_tournament,
    count_all_scores,
    make_cast,
)
from tools.benchmark.load.tables import analyse  # noqa: E402
from tools.benchmark.progress import Say, show_progress  # noqa: E402

_BOTS: Final = 300
_FEW: Final = 4
_AT_LARGE_TABLES: Final = 100
_ON_A_TABLE: Final = 20
_SEATS: Final = 5
_SHORT: Final = 398


def main() -> int:
    """Measure one part with data of its own; print the figures beside the demands."""
    parser = ArgumentParser()
    parser.add_argument("part", choices=_MEASURES)
    parser.add_argument("size", type=int)
    parser.add_argument("--fill", action="store_true", help="only create the data")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with show_progress(Console(stderr=True)) as say:
        if options.fill:
            prepare_database()
            _FILLS[options.part](options.size, say)
            return 0
        if options.part in _FILLS:
            _fill(options.part, options.size)
        else:
            prepare_database()
        prepare_static_files()
        demands = list(_MEASURES[options.part](options.size, say))
    title = f"{options.part} on {connection.vendor}"
    return show_demands(title, demands, as_json=options.json)


def _fill(part: str, size: int) -> None:
    """Make the data in another process, which leaves no memory behind in this one."""
    command = [sys.executable, "-m", "tools.benchmark.competition.machinery"]
    if subprocess.run([*command, part, str(size), "--fill"], check=False).returncode:
        sys.exit("The data could not be made; see above.")


def _start_round_robin(_batches: int, say: Say) -> None:
    """Start a round robin of many bots, and one of few."""
    say(f"a round robin of {_BOTS} bots")
    cast = make_cast(bots=_BOTS)
    document = TournamentDocument(game=GAME, scheduler="round_robin/2", table_seats=2)
    for bots in (_FEW, _BOTS):
        made = create_tournament(
            actor=cast.owner,
            name=f"{bots} bots",
            document=document,
            versions=cast.versions[:bots],
        )
        start_tournament(actor=cast.owner, tournament=made)


def _batches(number: int, say: Say) -> Iterator[Demand]:
    """Make the first batches of a large round robin."""
    say(f"{number} batches of a round robin of {_BOTS} bots")
    small, large = (Tournament.objects.get(name=f"{bots} bots") for bots in (_FEW, _BOTS))
    extend_schedule(tournament_id=small.pk)  # work that a process does only once
    spent: list[tuple[int, float]] = []
    with MemoryWatch() as memory:
        while (made := large.batches.count()) <= number:
            started = time.process_time()
            if not extend_schedule(tournament_id=large.pk):
                break
            spent.append((max(made, 1), time.process_time() - started))
    # A part that begins a batch counts towards the batch before, which only makes that dearer.
    by_batch = [sum(s for _, s in part) for _, part in groupby(spent, key=lambda one: one[0])]
    name = f"round robin of {_BOTS} bots, stored"
    yield Demand(
        name=f"{name}: CPU s of the dearest batch",
        measured=max(by_batch),
        most=1,
        remark=f"{len(by_batch)} batches, {large.tournament_matches.count():,} matches",
    )
    yield Demand(name=f"{name}: MiB over idle", measured=memory.peak_mib, most=30)


def _pages(matches: int, say: Say) -> Iterator[Demand]:
    """Read the pages of two tournaments of the same bots."""
    say(f"the table of {matches} matches")
    cast = make_cast(bots=_ON_A_TABLE)
    versions = cast.versions
    found = []
    for length in (_SHORT, matches):
        made = add_tournament(cast.owner, versions, TournamentState.RUNNING)
        writer = Writer(versions, random.Random(1), total=length)
        writer.add(made, done=length, waiting=0)
        writer.close()
        found.append(made)
    count_all_scores()
    analyse()
    short, long = page_costs_s([f"/tournaments/{made.pk}/" for made in found])
    yield Demand(
        name=f"page of {matches:,} matches / page of {_SHORT}, {_ON_A_TABLE} bots",
        measured=long / short,
        most=1.3,
        remark=f"{1000 * long:.0f} ms, {1000 * short:.0f} ms of CPU",
    )


def _close(matches: int, say: Say) -> Iterator[Demand]:
    """Make the final table of a tournament at large tables."""
    say(f"close of {matches} matches of {_SEATS} seats")
    cast = make_cast(bots=_AT_LARGE_TABLES)
    versions = cast.versions
    made = add_tournament(cast.owner, versions, TournamentState.CLOSED)
    Tournament.objects.filter(pk=made.pk).update(table_seats=_SEATS)
    writer = Writer(versions, random.Random(2), total=matches, seats=_SEATS, has_ratings=False)
    writer.add(made, done=matches, waiting=0)
    writer.close()
    count_all_scores()
    analyse()
    Tournament.objects.filter(pk=made.pk).update(
        state=TournamentState.RUNNING, finished_at=None, is_fully_scheduled=True
    )
    started, cpu = time.monotonic(), time.process_time()
    closed = close_finished()
    took_s, cpu_s = time.monotonic() - started, time.process_time() - cpu
    if made.pk not in {each.pk for each in closed}:
        sys.exit("The tournament was not closed.")
    yield Demand(
        name=f"close of {matches:,} matches of {_SEATS} seats: CPU s",
        measured=cpu_s,
        most=30,
        remark=f"{took_s:.0f} s",
    )


_MEASURES: Final[dict[str, Callable[[int, Say], Iterator[Demand]]]] = {
    "batches": _batches,
    "pages": _pages,
    "close": _close,
    "recompute": measure_recompute,
    "ranking": measure_ranking,
}
_FILLS: Final[dict[str, Callable[[int, Say], None]]] = {
    "batches": _start_round_robin,
    "recompute": fill_leaderboard,
}
"""How another process fills the database first, for parts whose memory is measured."""

if __name__ == "__main__":
    sys.exit(main())
