"""How long a claim, a publishing and a page's write wait during a long operation."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Final

import django
from rich.console import Console

django.setup()

# Models exist only from here on.
from django.db import connection  # noqa: E402
from django.db.models.functions import Now  # noqa: E402

from pentathlon.local.preparation import prepare_database  # noqa: E402
from pentathlon.matches.endings import note_endings  # noqa: E402
from pentathlon.matches.models import Match, MatchSeat, MatchState  # noqa: E402
from pentathlon.matches.services import return_expired_leases  # noqa: E402
from pentathlon.ratings.models import (  # noqa: E402
    Pool,
    live_key,
    tournament_key,
)
from pentathlon.ratings.recompute import recompute_pool  # noqa: E402
from pentathlon.ratings.services import apply_results  # noqa: E402
from pentathlon.tournaments.models import Tournament, TournamentState  # noqa: E402
from pentathlon.tournaments.scheduling.schedules import make_schedules  # noqa: E402
from pentathlon.tournaments.services import close_finished, start_tournament  # noqa: E402
from tools.benchmark.load.data import (  # noqa: E402
    GAME,
    Cast,
    Writer,
    add_tournament,
    count_all_scores,
    make_cast,
)
from tools.benchmark.load.dispatch import send_and_take_back  # noqa: E402
from tools.benchmark.load.figures import Figure, show  # noqa: E402
from tools.benchmark.load.stage import read_options  # noqa: E402
from tools.benchmark.load.tables import analyse  # noqa: E402
from workers.reconciler import SWITCH_S  # noqa: E402

MOST_WAIT_S: Final = 1.0
_PAUSE_S: Final = 0.25
_HISTORY: Final = 3
_IDLE_S: Final = 10
"""How long waits are measured beside nothing, to show how busy the machine is."""

Work = Callable[[], object]

# The steps run in turn as in `manage.py reconcile`, so a match that becomes ready waits for all.
_STEPS: Final[dict[str, Work]] = {
    "leases": return_expired_leases,
    "hints": send_and_take_back,
    "ratings": apply_results,
}


def main() -> int:
    """Run each long piece of work beside probes; print the longest waits."""
    options = read_options("bots")
    sys.setswitchinterval(SWITCH_S)
    console = Console(stderr=True)
    with console.status("Filling the database") as status:
        prepare_database()
        cast = make_cast(bots=options.bots)
        long = options.bots * (options.bots - 1)
        open_one = add_tournament(cast.owner, cast.versions, TournamentState.OPEN)
        writer = Writer(cast.versions, random.Random(3), total=long)
        ended = [
            add_tournament(cast.owner, cast.versions, TournamentState.CLOSED)
            for _ in range(_HISTORY)
        ]
        for tournament in ended:
            writer.add(tournament, done=long, waiting=0)
        writer.close()
        count_all_scores()
        analyse()
        bench = _Bench(cast)
        # Work that a process does only once must not be part of any wait.
        for step in _STEPS.values():
            step()
        figures = []
        works: dict[str, Work] = {
            f"nothing, for {_IDLE_S} s": lambda: time.sleep(_IDLE_S),
            f"start of {long}": lambda: _start(open_one, cast),
            f"close of {long}": lambda: _close(ended[0]),
            f"recompute of {long}": lambda: _recompute(tournament_key(ended[1].pk)),
            f"recompute of {_HISTORY * long}": lambda: _recompute(live_key(GAME)),
        }
        for name, work in works.items():
            status.update(name)
            figures.append(bench.measure(name, work))
    title = f"Longest waits in seconds on {connection.vendor} while something long runs"
    return show(title, figures, verdict="longest", as_json=options.json)


class _Bench:
    """Probes from another process, and a reconciler's loop in this one."""

    def __init__(self, cast: Cast) -> None:
        self._lane = cast.tournament.pk
        self._stop = threading.Event()
        self._longest: dict[str, float] = {}

    def measure(self, name: str, work: Work) -> Figure:
        """Do `work`; return the longest waits meanwhile."""
        command = [sys.executable, "-m", "tools.benchmark.load.prober", str(self._lane)]
        prober = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        if prober.stdin is None or prober.stdout is None or not prober.stdout.readline():
            sys.exit("The prober did not start.")
        self._stop.clear()
        self._longest = dict.fromkeys(("publish", *_STEPS), 0.0)
        loop = threading.Thread(target=self._reconcile)
        loop.start()
        before = time.monotonic()
        try:
            work()
        finally:
            took = time.monotonic() - before
            self._stop.set()
            loop.join()
            told, _ = prober.communicate()
        waits = {**json.loads(told), "publish": self._longest.pop("publish")}
        return Figure(
            name=name,
            measured={"took": took, **waits, **self._longest},
            verdict=max(waits.values()),
            demanded=MOST_WAIT_S,
        )

    def _reconcile(self) -> None:
        """Go through the steps of the reconciler; note the longest time of each."""
        try:
            while not self._stop.wait(_PAUSE_S):
                due = time.monotonic()
                _finish_one(self._lane)
                for name, step in _STEPS.items():
                    before = time.monotonic()
                    step()
                    self._note(name, since=before)
                self._note("publish", since=due)
        finally:
            connection.close()

    def _note(self, name: str, *, since: float) -> None:
        self._longest[name] = max(self._longest[name], time.monotonic() - since)


def _finish_one(lane: int) -> None:
    """Let a match of a tournament end as if a worker had handed it in."""
    match = Match.objects.of_lane(lane).waiting().order_by("-pk").first()
    if match is None:
        return
    MatchSeat.objects.filter(match=match, seat=0).update(rank=0)
    MatchSeat.objects.filter(match=match, seat=1).update(rank=1)
    Match.objects.filter(pk=match.pk).update(
        state=MatchState.DONE, sandbox="namespaces", started_at=Now(), finished_at=Now()
    )
    note_endings([match.pk])


def _start(tournament: Tournament, cast: Cast) -> None:
    """Start a tournament and make its schedule, beside the loop as the reconciler does."""
    start_tournament(actor=cast.owner, tournament=tournament)
    while make_schedules():
        time.sleep(_PAUSE_S)


def _close(tournament: Tournament) -> None:
    """Make the final table of a tournament that has just been played."""
    running = Tournament.objects.filter(pk=tournament.pk)
    running.update(state=TournamentState.RUNNING, finished_at=None)
    if tournament.pk not in {closed.pk for closed in close_finished()}:
        sys.exit("The tournament was not closed.")


def _recompute(key: str) -> None:
    """Write all ratings of a pool anew, after a change that touches each of them."""
    pool = Pool.objects.get(key=key)
    Pool.objects.filter(pk=pool.pk).update(draw_probability=0.07, is_stale=True)
    recompute_pool(pool_id=pool.pk)


if __name__ == "__main__":
    sys.exit(main())
