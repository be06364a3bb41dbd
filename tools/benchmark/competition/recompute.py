"""A recompute of a large leaderboard that writes every change anew."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import islice
from typing import Final

from django.core.management.color import no_style
from django.db import connection

from pentathlon.accounts.models import User
from pentathlon.bots.models import BotVersion
from pentathlon.matches.models import Match, MatchKind, MatchSeat, MatchState
from pentathlon.ratings.book import Book
from pentathlon.ratings.change_rows import FIELDS
from pentathlon.ratings.models import LedgerRow, LedgerState, Pool, RatingChange
from pentathlon.ratings.recompute import recompute_pool
from pentathlon.ratings.services import open_live_pool
from pentathlon.ratings.skill import Result
from pentathlon_engines import GAMES
from tools.benchmark.competition.demands import Demand
from tools.benchmark.competition.memory import MemoryWatch
from tools.benchmark.competition.page_costs import server_pids
from tools.benchmark.load.data import GAME, make_bots
from tools.benchmark.load.tables import Table, moment, without_indexes
from tools.benchmark.meter import cpu_s_of
from tools.benchmark.progress import Say

_BOTS: Final = 300
_BATCH: Final = 10_000
_SAID_EVERY: Final = 100_000
_LOOP: Final = 50_000
"""The number of results in the plain loop, which shows how fast this machine is at present."""
_MILLION: Final = 1_000_000


def measure_recompute(results: int, say: Say) -> Iterator[Demand]:
    """Recompute a leaderboard whose changes are all wrong."""
    pool = open_live_pool(game=GAME)
    versions = list(BotVersion.objects.order_by("pk").values_list("pk", flat=True))
    before = _plain_loop(versions)
    say(f"recompute of {results:,} results")
    server = server_pids()
    started, cpu, server_cpu = time.monotonic(), time.process_time(), cpu_s_of(server)
    with MemoryWatch() as memory:
        entered = recompute_pool(pool_id=pool.pk)
    wall_s = time.monotonic() - started
    cpu_s, server_s = time.process_time() - cpu, cpu_s_of(server) - server_cpu
    loop_us = (before + _plain_loop(versions)) / 2
    us = 1e6 / entered
    name = "recompute, every change rewritten"
    yield Demand(
        name=f"{name}: CPU s per 1,000,000 results",
        measured=(cpu_s + server_s) * us,
        most=120,
        remark=f"{entered:,} results; {cpu_s * us:.0f} s here, {server_s * us:.0f} in the server",
    )
    yield Demand(
        name=f"{name}: times the CPU of its arithmetic alone",
        measured=(cpu_s + server_s) * us / loop_us,
        most=12,
        remark=f"plain loop: {loop_us:.1f} s per 1,000,000 results",
    )
    yield Demand(
        name=f"{name}: seconds per 1,000,000 results",
        measured=wall_s * us,
        remark="on an idle machine hardly more than the CPU",
    )
    yield Demand(name=f"{name}: peak MiB over idle", measured=memory.peak_mib, most=30)
    yield Demand(
        name=f"{name}: MiB more at the end than at 25 %",
        measured=memory.late_growth_mib,
        most=10,
    )


def fill_leaderboard(results: int, say: Say) -> None:
    """Store matches with their rows in a ledger, and rating changes that are all wrong."""
    owner = User.objects.create_user(username="load", email="", password=None)
    versions, pool = make_bots(owner, _BOTS), open_live_pool(game=GAME)
    left = _numbered_results(versions, results)
    matches = Table(
        Match,
        *("id", "kind", "game", "rules_version", "seed", "rated", "state", "finished_at"),
        *("ply", "outcome_reason", "sandbox", "alias", "chain"),
    )
    seats = Table(MatchSeat, "match", "seat", "version", "rank")
    rows = Table(LedgerRow, "id", "pool", "match", "state", "seq", "ended_at")
    changes = Table(RatingChange, *(name.removesuffix("_id") for name in FIELDS))
    ended, rules = moment(datetime.now(tz=UTC)), GAMES[GAME].info.version
    head = (MatchKind.TOURNAMENT.value, GAME, rules)
    state = (True, MatchState.DONE.value, ended, 20, "line", "namespaces")
    with without_indexes(Match, MatchSeat, LedgerRow, RatingChange):
        while batch := list(islice(left, _BATCH)):
            if (made := batch[0][0] - 1) % _SAID_EVERY == 0:
                say(f"{made:,} of {results:,} results")
            matches.fill(
                (seq, *head, seq, *state, f"{seq:032x}", f"{seq:064x}") for seq, _ in batch
            )
            at_seats = [
                (seq, seat, player, rank)
                for seq, result in batch
                for seat, (player, rank) in enumerate(
                    zip(result.players, result.ranks, strict=True)
                )
            ]
            seats.fill(at_seats)
            applied = LedgerState.APPLIED.value
            rows.fill((seq, pool.pk, seq, applied, seq, ended) for seq, _ in batch)
            changes.fill((*each, 0.0, 0.0, 0.0, 0.0, None) for each in at_seats)
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), [Match, LedgerRow]):
            cursor.execute(statement)
    Pool.objects.filter(pk=pool.pk).update(applied_seq=results, is_stale=True)


def _numbered_results(versions: list[int], results: int) -> Iterator[tuple[int, Result]]:
    """Yield made-up results between two bots, each with its place in the ledger."""
    rng = random.Random(3)
    strength = {version: rng.gauss(0, 1) for version in versions}
    for seq in range(1, results + 1):
        first, second = rng.sample(versions, 2)
        lead = strength[first] - strength[second] + rng.gauss(0, 1)
        ranks = (0, 0) if abs(lead) < 0.1 else (int(lead < 0), int(lead > 0))  # noqa: PLR2004
        yield seq, Result((first, second), ranks)


def _plain_loop(versions: list[int]) -> float:
    """Return the CPU seconds of the arithmetic alone, for 1,000,000 results."""
    results = list(_numbered_results(versions, _LOOP))
    book = Book(draw_probability=0.1)
    started = time.process_time()
    for seq, result in results:
        book.enter(seq, result)
    return (time.process_time() - started) * _MILLION / _LOOP
