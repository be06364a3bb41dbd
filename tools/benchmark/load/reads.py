"""What it costs to read each public address once tournaments of many matches are there."""

from __future__ import annotations

import gc
import logging
import random
import re
import sys
import time
from collections.abc import Iterator, Sequence
from http import HTTPStatus
from pathlib import Path
from typing import Final

import django
from rich.console import Console

django.setup()

# Models exist only from here on.
from django.db import connection  # noqa: E402
from django.test import Client  # noqa: E402
from django.urls import URLPattern, URLResolver, get_resolver  # noqa: E402

from pentathlon.bots.models import BotVersion  # noqa: E402
from pentathlon.local.preparation import prepare_database, prepare_static_files  # noqa: E402
from pentathlon.matches.models import Match, MatchState  # noqa: E402
from pentathlon.tournaments.document import draft_document  # noqa: E402
from pentathlon.tournaments.final import final_rows  # noqa: E402
from pentathlon.tournaments.models import FinalRow, Tournament, TournamentState  # noqa: E402
from pentathlon.tournaments.parts import count_parts  # noqa: E402
from tools.benchmark.load.data import (  # noqa: E402
    GAME,
    Cast,
    Writer,
    add_tournament,
    count_all_scores,
    make_cast,
)
from tools.benchmark.load.figures import Figure, show  # noqa: E402
from tools.benchmark.load.stage import read_options  # noqa: E402
from tools.benchmark.load.tables import analyse  # noqa: E402

MOST_CPU_S: Final = 0.3
_AGAIN: Final = 3
_NAME: Final = re.compile(r"\(\?P<\w+>(?:[^()]|\([^()]*\))*\)|<[^>]*>")
_LEFT_OUT: Final = ("admin/", "static/", "api/$")
_HEADERS: Final = {"host": "localhost", "accept-encoding": "gzip"}


def main() -> int:
    """Fill the database, read every address for the first time and again, print what it costs."""
    options = read_options("bots")
    logging.getLogger("django.request").setLevel(logging.CRITICAL)  # what it refuses is no news
    console = Console(stderr=True)
    with console.status("Filling the database") as status:
        prepare_database()
        prepare_static_files()
        cast = make_cast(bots=options.bots)
        long = options.bots * (options.bots - 1)
        closed, running = _tournaments(cast, matches=long)
        count_all_scores()
        analyse()
        status.update("Reading")
        examples = _examples(cast, closed)
        # What a process does once must not count for who comes first.
        for path in _addresses({**examples, "tournaments": [cast.tournament.pk]}):
            _read(path)
        gc.collect()
        gc.freeze()  # as the web server does when it has loaded everything
        both = {**examples, "tournaments": [closed.pk, running.pk]}
        narrow = [path for each in (closed, running) for path in _narrow(each)]
        found = [_figure(path) for path in (*_addresses(both), *narrow)]
    shown = [figure for figure in found if figure.measured["status"] < HTTPStatus.BAD_REQUEST]
    figures = sorted(shown, key=lambda figure: -figure.verdict)
    title = (
        f"CPU seconds of a GET; tournament {closed.pk} closed, {running.pk} half played: {long}"
    )
    return show(title, figures, verdict="most", as_json=options.json)


def _tournaments(cast: Cast, *, matches: int) -> tuple[Tournament, Tournament]:
    """Add a closed and a half-played tournament, each of so many matches."""
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


def _examples(cast: Cast, tournament: Tournament) -> dict[str, Sequence[object]]:
    """Return what exists, by the word of an address that it follows."""
    match = Match.objects.of_lane(tournament.pk).filter(state=MatchState.DONE).latest("pk").pk
    version = BotVersion.objects.get(pk=cast.versions[-1])
    found: dict[str, Sequence[object]] = {word: [GAME] for word in ("games", "leaderboards")}
    found |= {"matches": [match], "replays": [match], "seats": [0]}
    return {**found, "bots": [version.bot_id], "versions": [version.pk]}


def _narrow(tournament: Tournament) -> list[str]:
    """Return the addresses of long lists and files with a query that narrows them."""
    bot = tournament.entries.in_order()[0].version
    lists = ("/matches/", "/api/v1/matches/", "/bots/", "/tournaments/", "/api/v1/bots/")
    narrow = [f"{path}?game={GAME}" for path in lists]
    narrow += [f"/matches/?bot={bot.bot_id}", f"/api/v1/matches/?version={bot.pk}"]
    narrow += [f"/api/v1/matches/?tournament={tournament.pk}&page_size=200"]
    export = f"/tournaments/{tournament.pk}/results.csv"
    narrow += [f"{export}?part={part}" for part in range(1, count_parts(tournament) + 1)]
    return narrow


def _addresses(examples: dict[str, Sequence[object]]) -> Iterator[str]:
    """Yield every address that the site knows, once for each example of what varies in it."""
    for route in sorted(_routes(get_resolver().url_patterns, "")):
        if not route.startswith(_LEFT_OUT):
            yield from _filled(route, examples)


def _routes(patterns: Sequence[URLPattern | URLResolver], before: str) -> Iterator[str]:
    for pattern in patterns:
        route = before + str(pattern.pattern).removeprefix("^")
        if isinstance(pattern, URLResolver):
            yield from _routes(pattern.url_patterns, route)
        else:
            yield route


def _filled(route: str, examples: dict[str, Sequence[object]]) -> Iterator[str]:
    gap = _NAME.search(route)
    if gap is None:
        yield "/" + route.translate({ord(mark): None for mark in "^$\\"})
        return
    word = route[: gap.start()].rstrip("/").rpartition("/")[2]
    for example in examples.get(word, [1]):
        yield from _filled(f"{route[: gap.start()]}{example}{route[gap.end() :]}", examples)


def _figure(path: str) -> Figure:
    first, status = _read(path)
    again = min(_read(path)[0] for _ in range(_AGAIN))
    measured = {"status": float(status), "first": first, "again": again}
    return Figure(name=path, measured=measured, verdict=max(first, again), demanded=MOST_CPU_S)


def _read(path: str) -> tuple[float, int]:
    """Return the CPU seconds of a GET, with those of the database, and its status."""
    before = _cpu_s()
    answer = Client(headers=_HEADERS).get(path)
    content = answer.getvalue() if answer.streaming else answer.content
    spent = _cpu_s() - before
    if answer.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR:
        sys.exit(f"{path} answered {answer.status_code}: {content[:200]!r}")
    return spent, answer.status_code


def _cpu_s() -> float:
    return time.process_time() + _database_s()


def _database_s() -> float:
    """Return the CPU seconds of the database's process, which on SQLite is this one."""
    if connection.vendor != "postgresql":
        return 0.0
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (pid,) = cursor.fetchone()
    nanoseconds = Path(f"/proc/{pid}/schedstat").read_text().split()[0]
    return int(nanoseconds) / 1e9


if __name__ == "__main__":
    sys.exit(main())
