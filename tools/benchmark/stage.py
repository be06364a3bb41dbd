"""The stage of a benchmark: a database, a broker and one real worker, all on one core."""

import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from django.conf import settings
from redis import Redis

from pentathlon.accounts.models import User
from pentathlon.bots.models import BotVersion
from pentathlon.bots.services import store_version
from pentathlon.env import child_environment
from pentathlon.fleet.capabilities import least_sandbox, read_fleet
from pentathlon.local.preparation import prepare_database
from pentathlon.local.servers import processes
from pentathlon.local.servers.processes import ServerFailed, last_lines
from pentathlon.matches.models import Match, MatchKind, MatchState
from pentathlon.matches.services import schedule_matches
from pentathlon.matches.specs import MatchSpec
from pentathlon.roles import worker_command
from pentathlon_engines import GAMES
from pentathlon_engines.archive.archives import CheckedArchive
from pentathlon_engines.match.launcher import SandboxLevel
from tools.benchmark.meter import cpu_s_of
from workers.host.runtimes import Runtimes, try_untried
from workers.publisher import Publisher, hints_in_broker
from workers.reconciler import PAUSE_S
from workers.sandbox.levels import choose_level
from workers.sandbox.resources.procfs import tree_cpu_s
from workers.tasks import play_matches

_PATIENCE_S = 600
_TICK_S = 0.02
_SETTLED_S = 0.2
"""When the last hint has left the broker, its work is done within this time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """A small platform whose costs can be measured."""

    worker: subprocess.Popen[bytes]
    log: Path
    owner: User
    others: tuple[int, ...] = ()
    """Processes beside worker and broker whose CPU time counts, too."""
    _publisher: Publisher = field(default_factory=Publisher)

    def enter(self, archive: CheckedArchive) -> BotVersion:
        """Store a bot for which matches may be scheduled without validation."""
        return store_version(actor=self.owner, archive=archive)

    def schedule(self, version: BotVersion, game: str, seeds: Sequence[int]) -> list[int]:
        """Store a match of a version against itself for each seed; return their ids."""
        seating = (version.pk,) * GAMES[game].info.default_seats
        specs = [
            MatchSpec(kind=MatchKind.TOURNAMENT, game=game, seating=seating, seed=seed)
            for seed in seeds
        ]
        return [match.pk for match in schedule_matches(specs)]

    def play(self, ids: Sequence[int]) -> tuple[float, float]:
        """Let the worker play these waiting matches; return CPU seconds and wall seconds."""
        before, started = self._cpu_s(), time.monotonic()
        published, next_at = 0.0, started
        played = Match.objects.filter(pk__in=ids)

        def are_over() -> bool:
            nonlocal published, next_at
            # Publish as the reconciler does, because the window may not hold all matches at once.
            if time.monotonic() >= next_at and played.unsent().exists():
                published += _time_of(self._publisher.publish_matches)
                next_at = time.monotonic() + PAUSE_S
            return not played.unfinished().exists()

        self.wait_for(are_over)
        if played.exclude(state=MatchState.DONE).exists():
            raise ServerFailed("The worker", f"voided a match.\n{last_lines(self.log)}")
        return published + self._cpu_s() - before, time.monotonic() - started

    def deliver(self, match_id: int, times: int) -> float:
        """Send hints about a match that is not free; return the CPU seconds of all processes."""
        before = self._cpu_s()
        sent = _time_of(lambda: [play_matches.delay([match_id]) for _ in range(times)])
        self.wait_for(lambda: hints_in_broker() == 0)
        time.sleep(_SETTLED_S)
        return sent + self._cpu_s() - before

    def _cpu_s(self) -> float:
        return tree_cpu_s(self.worker.pid) + cpu_s_of([_broker_pid(), *self.others])

    def wait_for(self, is_true: Callable[[], bool]) -> None:
        """Wait until a condition is true; raise if the worker ends or takes too long."""
        deadline = time.monotonic() + _PATIENCE_S
        while not is_true():
            if time.monotonic() > deadline or self.worker.poll() is not None:
                raise ServerFailed("The worker", f"does not play.\n{last_lines(self.log)}")
            time.sleep(_TICK_S)


@contextmanager
def open_stage(folder: Path) -> Iterator[Stage]:
    """Prepare the database that the settings name and start one worker with one slot."""
    prepare_database()
    owner = User.objects.create_user(username="benchmark", email="", password=None)
    log = folder / "worker.log"
    with log.open("wb") as output:
        worker = processes.start(
            worker_command(slots=1), output=output, environment=child_environment()
        )
    stage = Stage(worker=worker, log=log, owner=owner)
    try:
        stage.wait_for(has_settled)
        yield stage
    finally:
        processes.stop(worker)


def has_settled() -> bool:
    """Return whether there is a living worker that has tried all its runtimes."""
    fleet = read_fleet()
    return fleet.slots > 0 and fleet.runtimes >= _try_offer()


@cache
def _try_offer() -> set[str]:
    """Try the runtimes in this process; return those that the worker will offer, too."""
    level = choose_level(least=least_sandbox())
    if level is SandboxLevel.PROCESS:
        return set()
    tried = Runtimes([])
    try_untried(tried, level)
    return set(tried.working())


def _broker_pid() -> int:
    with Redis.from_url(str(settings.REDIS_URL)) as client:
        return int(client.info("server")["process_id"])


def _time_of(action: Callable[[], object]) -> float:
    before = time.process_time()
    action()
    return time.process_time() - before
