"""`bench blocking`: how long a claim, a publishing and a page's write wait for something long.

The long work is done here, beside a loop of the reconciler's steps and a prober in a process of
its own.
"""

import json
import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Final

from django.core.management.base import CommandError
from django.db import connection
from django.db.models.functions import Now

from pentathlon.local.preparation import prepare_database
from pentathlon.matches.endings import note_endings
from pentathlon.matches.models import Match, MatchSeat, MatchState
from pentathlon.matches.services import return_expired_leases
from pentathlon.ratings.models import live_key, tournament_key
from pentathlon.ratings.recompute import recompute_pool
from pentathlon.ratings.services import apply_results
from pentathlon.tournaments.models import Tournament, TournamentState
from pentathlon.tournaments.scheduling.schedules import make_schedules
from pentathlon.tournaments.services import close_finished, start_tournament
from tools.benchmark.demands import Demand, Figures
from tools.benchmark.load.data import (
    GAME,
    Cast,
    Writer,
    add_tournament,
    count_all_scores,
    make_cast,
)
from tools.benchmark.load.recompute import make_stale
from tools.benchmark.load.reconciler import send_and_take_back
from tools.benchmark.load.tables import analyse
from tools.benchmark.part import BenchPart, Options, SizeOption
from tools.benchmark.progress import Say
from workers.reconciler import SWITCH_S

MOST_WAIT_S: Final = 1.0
_JUDGED: Final = ("claim", "page write", "publish")
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


def _measure(options: Options, say: Say) -> Figures:
    """Do each long piece of work beside probes; return the longest waits."""
    sys.setswitchinterval(SWITCH_S)
    prepare_database()
    cast = make_cast(bots=options["bots"])
    long = options["bots"] * (options["bots"] - 1)
    new = add_tournament(cast.owner, cast.versions, TournamentState.OPEN)
    writer = Writer(cast.versions, random.Random(3), total=long)
    ended = [
        add_tournament(cast.owner, cast.versions, TournamentState.CLOSED) for _ in range(_HISTORY)
    ]
    for tournament in ended:
        writer.add(tournament, done=long, waiting=0)
    writer.close()
    count_all_scores()
    analyse()
    # Work that a process does only once must not be part of any wait.
    for step in _STEPS.values():
        step()
    works: dict[str, Work] = {
        f"nothing, for {_IDLE_S} s": lambda: time.sleep(_IDLE_S),
        f"start of {long}": lambda: _start(new, cast),
        f"close of {long}": lambda: _close(ended[0]),
        f"recompute of {long}": lambda: _recompute(tournament_key(ended[1].pk)),
        f"recompute of {_HISTORY * long}": lambda: _recompute(live_key(GAME)),
    }
    figures = {}
    for name, work in works.items():
        say(name)
        figures[name] = _waits_beside(work, lane=cast.tournament.pk)
    return figures


def _waits_beside(work: Work, *, lane: int) -> list[Demand]:
    """Do some work; return the longest wait of each probe and each step meanwhile, in seconds."""
    command = [sys.executable, "-m", "tools.benchmark.load.prober", str(lane)]
    prober = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    if prober.stdin is None or prober.stdout is None or not prober.stdout.readline():
        raise CommandError("The prober did not start.")
    stop, longest = threading.Event(), dict.fromkeys(("publish", *_STEPS), 0.0)
    loop = threading.Thread(target=_reconcile, args=(lane, stop, longest))
    loop.start()
    began = time.monotonic()
    try:
        work()
    finally:
        took_s = time.monotonic() - began
        stop.set()
        loop.join()
        probed, _ = prober.communicate()
    waits = {"took": took_s, **json.loads(probed), **longest}
    return [
        Demand(name=name, measured=wait_s, most=MOST_WAIT_S if name in _JUDGED else None)
        for name, wait_s in waits.items()
    ]


def _reconcile(lane: int, stop: threading.Event, longest: dict[str, float]) -> None:
    """Go through the steps of the reconciler; note the longest time of each."""
    try:
        while not stop.wait(_PAUSE_S):
            due = time.monotonic()
            _finish_one(lane)
            for name, step in _STEPS.items():
                before = time.monotonic()
                step()
                longest[name] = max(longest[name], time.monotonic() - before)
            longest["publish"] = max(longest["publish"], time.monotonic() - due)
    finally:
        connection.close()


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
        raise CommandError("The tournament was not closed.")


def _recompute(key: str) -> None:
    recompute_pool(pool_id=make_stale(key).pk)


BLOCKING: Final = BenchPart(
    HELP="the longest waits in seconds while something long runs",
    measure=_measure,
    sizes=(SizeOption("bots", 200, 12, "bots in a double round robin"),),
)
