"""The platform's own gauges, read from the database when they are collected.

Each query reads what waits or runs, or a bounded number of the latest rows: those of an hour, and
at most the latest thousand of them. So the gauges cost the same however long the history is. The
database is asked, not the processes: it knows of workers that no monitoring can reach.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from shutil import disk_usage
from statistics import quantiles
from typing import Final

from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection, transaction
from django.db.models import Count, Min
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector, CollectorRegistry

from pentathlon.accounts.models import Letter
from pentathlon.core.clock import database_now
from pentathlon.core.models import Leadership
from pentathlon.core.services import RECONCILER, silent_loops
from pentathlon.fleet.capabilities import read_fleet
from pentathlon.fleet.models import Worker, WorkerToken
from pentathlon.matches.attempts import party_of
from pentathlon.matches.models import (
    Attempt,
    AttemptState,
    Match,
    MatchKind,
    MatchSeat,
    MatchState,
)
from pentathlon.operations.backups import last_backup
from pentathlon.operations.damage import KINDS
from pentathlon.ratings.models import LedgerRow
from pentathlon.tournaments.models import Tournament
from pentathlon.trust.models import CheckState, Quarantine, SpotCheck
from pentathlon.trust.promises import matches_without_progress
from pentathlon.trust.quarantine import read_surprises
from pentathlon.webhooks.models import WebhookEndpoint
from pentathlon_engines import GAMES

_FRESH_S: Final = 5.0
_MOST: Final = 1000
_MOST_OF_A_GAME: Final = 100
_LATELY: Final = timedelta(hours=1)
_STATEMENT_MS: Final = 8000
_QUANTILES: Final = {"0.5": 9, "0.95": 18}
"""The index of each quantile among the cuts into twenty equal parts."""


class PlatformGauges(Collector):
    """All gauges, read together and kept for five seconds."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._told: list[Metric] = []
        self._until = 0.0

    def describe(self) -> Iterable[Metric]:
        """Describe nothing at registration, so that only a collection queries the database."""
        return []

    def collect(self) -> Iterable[Metric]:
        """Return all gauges, or only `gauges_up` with 0 if the database does not answer."""
        with self._lock:
            if time.monotonic() >= self._until:
                self._told = _read()
                self._until = time.monotonic() + _FRESH_S
            return self._told

    def forget(self) -> None:
        """Make the next collection query the database again; for tests."""
        self._until = 0.0


gauges: Final = PlatformGauges()


def register_gauges(registry: CollectorRegistry) -> None:
    """Register the gauges for export."""
    registry.register(gauges)


def _read() -> list[Metric]:
    text = "1 if the database answered, so that the other gauges are there"
    try:
        with _limit_query_time():
            now = database_now()
            found = [family for read in _GAUGES for family in read(now)]
    except (DatabaseError, InterfaceError):
        return [_gauge("gauges_up", text, value=0)]
    return [_gauge("gauges_up", text, value=1), *found]


@contextmanager
def _limit_query_time() -> Iterator[None]:
    """Abort slow queries: monitoring must not pile up on a server in trouble."""
    if connection.vendor == "sqlite":
        yield  # a transaction would keep writers waiting
        return
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL statement_timeout = {_STATEMENT_MS}")
        yield


def _waiting(now: datetime) -> Iterator[Metric]:
    count = _gauge("matches_waiting", "Matches that wait for a worker", labels=["kind"])
    oldest = _gauge("oldest_wait_seconds", "For how long the oldest has waited", labels=["kind"])
    waiting = Match.objects.filter(state=MatchState.PENDING).in_open_lanes()
    rows = waiting.order_by().values_list("kind").annotate(Count("pk"), Min("created_at"))
    found = {kind: (number, since) for kind, number, since in rows}
    for kind in MatchKind.values:
        number, since = found.get(kind, (0, now))
        count.add_metric([kind], number)
        oldest.add_metric([kind], max(0.0, (now - since).total_seconds()))
    yield count
    yield oldest


def _fleet(now: datetime) -> Iterator[Metric]:
    alive = Worker.objects.alive().count()
    yield _gauge("workers_alive", "Workers with a recent heartbeat", value=alive)
    fleet = read_fleet()
    text = "Matches that living workers can play at a time, as far as their tokens allow"
    yield _gauge("slots", text, value=fleet.slots)
    text = "Further slots, of tokens that have work and have long finished none"
    yield _gauge("slots_doubtful", text, value=fleet.doubtful_slots)
    text = "Slots left empty because their host is starved"
    yield _gauge("slots_held", text, value=fleet.held_slots)
    running = Match.objects.filter(state=MatchState.RUNNING, lease_until__isnull=False).count()
    yield _gauge("matches_running", "Matches that are played right now", value=running)
    leads = Leadership.objects.filter(name=RECONCILER, until__gt=now).exists()
    yield _gauge("reconciler_up", "1 if a reconciler hands matches out", value=leads)
    silent = len(silent_loops())
    stopped = Tournament.objects.stopped().count()
    yield _gauge("tournaments_stopped", "Tournaments that cannot go on", value=stopped)
    yield _gauge("loops_silent", "Loops of the reconciler that no process runs", value=silent)


def _damage(now: datetime) -> Iterator[Metric]:
    family = _gauge("damaged", "Stored things that are not what was stored", labels=["kind"])
    for kind in KINDS:
        family.add_metric([kind.noun], kind.rows().filter(damaged_at__isnull=False).count())
    yield family


def _attempts(now: datetime) -> Iterator[Metric]:
    text = "Attempts begun in the last hour, of the latest 1,000, by how they stand"
    rows = Attempt.objects.order_by("-pk").values_list("state", "started_at", "ended_at")[:_MOST]
    latest = [row for row in rows if row[1] > now - _LATELY]
    ends = Counter(state for state, *_ in latest)
    yield _counted("attempts_recent", text, "end", ends, names=AttemptState.values)
    text = "From claim to result of those that were accepted"
    family = _gauge("attempt_seconds", text, labels=["quantile"])
    accepted = [row for row in latest if row[0] == AttemptState.ACCEPTED]
    seconds = [(ended - began).total_seconds() for _, began, ended in accepted if ended]
    for name, cut in _cuts(seconds).items():
        family.add_metric([name], cut)
    yield family


def _durations(now: datetime) -> Iterator[Metric]:
    text = "From start to end of the latest 100 matches of the last hour"
    family = _gauge("match_duration_seconds", text, labels=["game", "quantile"])
    for game in GAMES:
        latest = Match.objects.of_game(game).recent()
        times = latest.values_list("started_at", "finished_at")[:_MOST_OF_A_GAME]
        seconds = [
            (end - start).total_seconds()
            for start, end in times
            if start is not None and end is not None and end > now - _LATELY
        ]
        for name, cut in _cuts(seconds).items():
            family.add_metric([game, name], cut)
    yield family


def _faults(now: datetime) -> Iterator[Metric]:
    text = "Faults of bots in matches ended in the last hour, of the latest 1,000"
    latest = MatchSeat.objects.exclude(fault_kind="").order_by("-pk")
    rows = latest.values_list("fault_kind", "match__finished_at")[:_MOST]
    kinds = Counter(kind for kind, end in rows if end is not None and end > now - _LATELY)
    yield _counted("faults_recent", text, "kind", kinds)


def _ratings(now: datetime) -> Iterator[Metric]:
    ready = LedgerRow.objects.ready().aggregate(count=Count("pk"), since=Min("ended_at"))
    text = "Results that are in the ledger and not yet in a rating"
    yield _gauge("ratings_waiting", text, value=ready["count"])
    lag = (now - ready["since"]).total_seconds() if ready["since"] else 0.0
    text = "For how long the oldest of them has waited"
    yield _gauge("rating_lag_seconds", text, value=max(0.0, lag))


def _surprises(now: datetime) -> Iterator[Metric]:
    text = "How far results of a worker are from what ratings expect; 1 is as far as chance takes"
    family = _gauge("worker_surprise", text, labels=["worker"])
    for worker, surprise in sorted(read_surprises(_host_of).items()):
        family.add_metric([worker], surprise.ratio)
    yield family


def _host_of(slot: str) -> str:
    return slot.rpartition("/")[0] or slot


def _trust(now: datetime) -> Iterator[Metric]:
    text = "Matches that a worker holds and that have not gone on for a minute"
    still = _gauge("matches_without_progress", text, labels=["token"])
    held = Counter(map(party_of, matches_without_progress().values_list("worker", flat=True)))
    for token in WorkerToken.objects.filter(revoked_at=None, quarantined_at=None):
        still.add_metric([token.name], held.pop(token.prefix, 0))
    still.add_metric([""], held.total())
    yield still
    number = Quarantine.objects.in_force().count()
    yield _gauge("quarantines", "Worker tokens in quarantine", value=number)
    disputed = SpotCheck.objects.filter(state=CheckState.DISPUTED).order_by("-pk")
    ends = disputed.values_list("ended_at", flat=True)[:_MOST]
    text = "Spot checks of the last hour in which workers differ and nobody could decide"
    number = sum(end is not None and end > now - _LATELY for end in ends)
    yield _gauge("checks_disputed_recent", text, value=number)


def _operators(now: datetime) -> Iterator[Metric]:
    failing = Letter.objects.filter(tries__gt=0).count()
    yield _gauge("letters_failing", "Letters that no mail server has taken yet", value=failing)
    age = max(0.0, (now - last_backup()).total_seconds())
    text = "Since the last backup; since the first migration if there was none"
    yield _gauge("backup_age_seconds", text, value=age)
    disk = disk_usage(settings.DATA_FOLDER)
    text = "Free share of the disk that the data folder of this process is on"
    yield _gauge("disk_free_ratio", text, value=disk.free / disk.total)


def _rest(now: datetime) -> Iterator[Metric]:
    waiting = WebhookEndpoint.objects.working().count_waiting()
    yield _gauge("webhooks_waiting", "Deliveries of webhooks that wait", value=waiting)
    query = (
        "SELECT pg_database_size(current_database())"
        if connection.vendor == "postgresql"
        else "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()"
    )
    with connection.cursor() as cursor:
        cursor.execute(query)
        (size,) = cursor.fetchone()
    yield _gauge("database_bytes", "Disk space that the database takes", value=size)


def _cuts(seconds: Sequence[float]) -> dict[str, float]:
    """Return the quantiles by name; none of less than two values."""
    if len(seconds) < 2:  # noqa: PLR2004  # a quantile lies between two
        return {}
    cuts = quantiles(seconds, n=20, method="inclusive")
    return {name: cuts[place] for name, place in _QUANTILES.items()}


_GAUGES: Final[Sequence[Callable[[datetime], Iterator[Metric]]]] = (
    _waiting,
    _fleet,
    _damage,
    _attempts,
    _durations,
    _faults,
    _ratings,
    _surprises,
    _trust,
    _operators,
    _rest,
)


def _gauge(
    name: str, text: str, *, value: float | None = None, labels: Sequence[str] | None = None
) -> GaugeMetricFamily:
    return GaugeMetricFamily(f"pentathlon_{name}", text, value=value, labels=labels)


def _counted(
    name: str,
    text: str,
    label: str,
    counts: Counter[str],
    *,
    names: Iterable[str] = (),
) -> Metric:
    family = _gauge(name, text, labels=[label])
    for value in {**dict.fromkeys(names, 0), **counts}:
        family.add_metric([value], counts[value])
    return family
