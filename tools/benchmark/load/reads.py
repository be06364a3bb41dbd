"""The cost of reading each public address after tournaments of many matches."""

from __future__ import annotations

import gc
import logging
import random
import sys
from http import HTTPStatus
from typing import Final

import django
from rich.console import Console

django.setup()

# Models exist only from here on.
from pentathlon.ladders.seasons import open_ladders  # noqa: E402
from pentathlon.local.preparation import prepare_database, prepare_static_files  # noqa: E402
from pentathlon.tournaments.documents.document import draft_document  # noqa: E402
from pentathlon.tournaments.models import FinalRow, Tournament, TournamentState  # noqa: E402
from pentathlon.tournaments.results.final_table import final_rows  # noqa: E402
from pentathlon.tournaments.scheduling.parts import count_parts  # noqa: E402
from tools.benchmark.load.addresses import addresses, examples_of, with_queries  # noqa: E402
from tools.benchmark.load.cost import cost_of, least_cost, read_page  # noqa: E402
from tools.benchmark.load.data import (  # noqa: E402
    Cast,
    Writer,
    add_rivalry,
    add_tournament,
    make_cast,
)
from tools.benchmark.load.figures import Figure, show  # noqa: E402
from tools.benchmark.load.followers import follow_results  # noqa: E402
from tools.benchmark.load.stage import read_options  # noqa: E402

MOST_CPU_S: Final = 0.3
_AGAIN: Final = 3


def main() -> int:
    """Fill the database, read every address for the first time and again, print the costs."""
    options = read_options("bots")
    logging.getLogger("django.request").setLevel(logging.CRITICAL)  # refused pages are expected
    console = Console(stderr=True)
    with console.status("Filling the database") as status:
        prepare_database()
        prepare_static_files()
        cast = make_cast(bots=options.bots)
        add_rivalry(cast)
        open_ladders()
        long = options.bots * (options.bots - 1)
        closed, running = _tournaments(cast, matches=long)
        follow_results(status.update)
        status.update("Reading")
        examples = examples_of(cast)
        # Work that a process does only once must not count for the first address.
        for path in addresses(examples):
            read_page(path)
        gc.collect()
        gc.freeze()  # as the web server does when it has loaded everything
        both = {**examples, "tournaments": [closed.pk, running.pk]}
        narrow = [path for each in (closed, running) for path in _narrow(each)]
        found = [_figure(path) for path in (*addresses(both), *with_queries(both), *narrow)]
    shown = [figure for figure in found if figure.measured["status"] < HTTPStatus.BAD_REQUEST]
    figures = sorted(shown, key=lambda figure: -figure.verdict)
    title = (
        f"CPU seconds of a GET; tournament {closed.pk} closed, {running.pk} half played: {long}"
    )
    return show(title, figures, verdict="most", as_json=options.json)


def _tournaments(cast: Cast, *, matches: int) -> tuple[Tournament, Tournament]:
    """Add a closed and a half-played tournament with this many matches each."""
    writer = Writer(cast.versions, random.Random(5), total=matches + matches // 2)
    closed = add_tournament(cast.owner, cast.versions, TournamentState.CLOSED)
    running = add_tournament(cast.owner, cast.versions, TournamentState.RUNNING)
    writer.add(closed, done=matches, waiting=0)
    writer.add(running, done=matches // 2, waiting=matches - matches // 2)
    writer.close()
    for tournament in (closed, running):
        tournament.refresh_from_db()
        tournament.fixed_document = draft_document(tournament).to_json()
        tournament.revealed_at = tournament.finished_at
        tournament.save(update_fields=("fixed_document", "revealed_at"))
    FinalRow.objects.bulk_create(final_rows(closed))
    return closed, running


def _narrow(tournament: Tournament) -> list[str]:
    """Return the addresses of a long tournament's list and files, part by part."""
    export = f"/tournaments/{tournament.pk}/results.csv"
    return [
        f"/api/v1/matches/?tournament={tournament.pk}&page_size=200",
        *(f"{export}?part={part}" for part in range(1, count_parts(tournament) + 1)),
    ]


def _figure(path: str) -> Figure:
    statuses: list[HTTPStatus] = []
    first = cost_of(lambda: statuses.append(read_page(path))).cpu_s
    again = least_cost(lambda: read_page(path), runs=_AGAIN).cpu_s
    measured = {"status": float(statuses[0]), "first": first, "again": again}
    return Figure(name=path, measured=measured, verdict=max(first, again), demanded=MOST_CPU_S)


if __name__ == "__main__":
    sys.exit(main())
