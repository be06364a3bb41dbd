"""Four worker nodes and two web processes on one database; one node is cut off for a while."""

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import django
from rich.console import Console

django.setup()

# Models exist only from here on.
from django.conf import settings  # noqa: E402
from django.db.models import Count, Q  # noqa: E402

from pentathlon.accounts.models import User  # noqa: E402
from pentathlon.bots.models import BotVersion  # noqa: E402
from pentathlon.bots.services import store_version  # noqa: E402
from pentathlon.env import read_environment  # noqa: E402
from pentathlon.fleet.capabilities import read_fleet  # noqa: E402
from pentathlon.fleet.models import WorkerToken  # noqa: E402
from pentathlon.local.preparation import prepare_database, prepare_static_files  # noqa: E402
from pentathlon.local.servers.processes import ServerFailed  # noqa: E402
from pentathlon.local.stack import Stack  # noqa: E402
from pentathlon.local.supervisor import Service  # noqa: E402
from pentathlon.matches.models import Attempt, AttemptState, Match, MatchKind, MatchState  # noqa: E402
from pentathlon.matches.services import schedule_matches  # noqa: E402
from pentathlon.matches.specs import MatchSpec  # noqa: E402
from tools.benchmark.archives import measured_bot  # noqa: E402
from tools.benchmark.demands import Demand, show_demands  # noqa: E402
from tools.benchmark.load.data import GAME  # noqa: E402
from tools.benchmark.load.stage import read_options  # noqa: E402
from tools.benchmark.meter import private_mib  # noqa: E402
from tools.benchmark.progress import show_progress  # noqa: E402
from tools.chaos.crew import Crew, CrewRole, Member  # noqa: E402
from tools.chaos.network import Condition, Network  # noqa: E402
from tools.chaos.run import free_port_here, standalone_worker  # noqa: E402
from tools.worker_broker import VARIABLE, worker_broker  # noqa: E402

NODES: Final = 4
WEBS: Final = 2
CUT_S: Final = 20.0
MOST_AWAY_S: Final = 60.0
"""How long a node that was cut off may take to play again."""
MOST_LATE_GROWTH_MIB: Final = 24.0
_HOST: Final = "127.0.0.1"
_READY_S: Final = 300.0
_PHASE_S: Final = 900.0
_TICK_S: Final = 0.2
_IN_FLIGHT_S: Final = 3.0
"""How long the site may take for a result that it received just before the cut."""
_AHEAD: Final = 24
"""The number of matches that always wait, so that every node has something to play."""
_FIRST: Final = 8


@dataclass(kw_only=True)
class NodesTrial:
    """All processes of the trial, and its matches."""

    crew: Crew
    ways: Sequence[Network]
    """All networks of the last node, which is cut off for a while."""
    version: BotVersion
    seed: int = 0
    ids: list[int] = field(default_factory=list)

    @property
    def done(self) -> int:
        """How many matches have their result."""
        return Match.objects.filter(pk__in=self.ids, state=MatchState.DONE).count()

    def until(self, is_true: Callable[[], bool], *, what: str, patience_s: float) -> float:
        """Keep processes running until a condition is true; return the seconds that it took."""
        started = time.monotonic()
        while not is_true():
            if time.monotonic() > started + patience_s:
                raise ServerFailed("The nodes", f"did not get there: {what}.")
            self.crew.tend()
            time.sleep(_TICK_S)
        return time.monotonic() - started

    def become(self, condition: Condition) -> None:
        """Cut the last node off, or bring it back."""
        for way in self.ways:
            way.become(condition)

    def play(self, matches: int, *, what: str) -> float:
        """Play some more matches; return matches a second."""
        wanted = self.done + matches

        def are_over() -> bool:
            self.add()
            return self.done >= wanted

        return matches / self.until(are_over, what=what, patience_s=_PHASE_S)

    def add(self) -> None:
        """Schedule matches until enough of them wait."""
        missing = _AHEAD - Match.objects.filter(pk__in=self.ids).unfinished().count()
        specs = []
        for _ in range(missing):
            self.seed += 1
            seating = (self.version.pk,) * 2
            kind = MatchKind.TOURNAMENT
            specs.append(MatchSpec(kind=kind, game=GAME, seating=seating, seed=self.seed))
        if specs:
            self.ids += [match.pk for match in schedule_matches(specs)]

    def played_by(self, number: int) -> int:
        """Return how many results of a node were accepted."""
        tokens = WorkerToken.objects.filter(name=f"standalone {number}").values("pk")
        accepted = Attempt.objects.filter(state=AttemptState.ACCEPTED, match__in=self.ids)
        return accepted.filter(worker_token__in=tokens).count()

    def memory_mib(self) -> dict[Member, float]:
        """Return the memory of each process of ours."""
        roles = (CrewRole.WEB, CrewRole.RECONCILER, CrewRole.STANDALONE)
        return {each: private_mib(each.pid) for each in self.crew.running(*roles)}


def main() -> int:
    """Play with all nodes, with one cut off, and with it back; judge the results."""
    options = read_options("matches", "taking")
    part = max(8, options.matches // 3)
    with show_progress(Console(stderr=True)) as say, _open_trial(options.taking) as trial:
        trial.until(lambda: read_fleet().slots >= NODES, what="four nodes", patience_s=_READY_S)
        trial.play(_FIRST, what="the first matches")
        say("All four nodes")
        whole = trial.play(part, what="matches of four nodes")
        before = trial.memory_mib()
        say("One node is cut off")
        trial.become(Condition.CUT)
        cut_at = time.monotonic()
        time.sleep(_IN_FLIGHT_S)
        at_cut = trial.played_by(NODES)
        without = trial.play(part, what="matches of three nodes")
        while time.monotonic() < cut_at + CUT_S:
            trial.play(_FIRST, what="matches of three nodes")
        so_far = trial.played_by(NODES)
        say("It is back")
        trial.become(Condition.WHOLE)

        def plays_again() -> bool:
            trial.add()
            return trial.played_by(NODES) > so_far

        away_s = trial.until(plays_again, what="a node that plays again", patience_s=_PHASE_S)
        again = trial.play(part, what="matches of four nodes again")
        unfinished = Match.objects.filter(pk__in=trial.ids).unfinished()
        trial.until(lambda: not unfinished.exists(), what="the end", patience_s=_PHASE_S)
        after = trial.memory_mib()
        demands = [
            *judge_matches(trial.ids),
            Demand(name="matches a second, four nodes", measured=whole),
            Demand(name="matches a second, one of them cut off", measured=without),
            Demand(name="matches a second, four again", measured=again),
            Demand(
                name="s until the node plays again after the cut",
                measured=away_s,
                most=MOST_AWAY_S,
            ),
            Demand(
                name="results of the node while it was cut off",
                measured=so_far - at_cut,
                most=0,
                remark=f"at least {CUT_S:g} s",
            ),
            *_judge_shares(trial, taking=options.taking),
            *_judge_memory(before, after),
        ]
    title = f"{NODES} nodes and {WEBS} web processes on one {_vendor()} database"
    return show_demands(title, demands, as_json=options.json)


def judge_matches(ids: Sequence[int]) -> Iterator[Demand]:
    """Count what became of matches: each must have one accepted attempt and a replay."""
    matches = Match.objects.filter(pk__in=ids)
    accepted = Count("attempts", filter=Q(attempts__state=AttemptState.ACCEPTED))
    counted = Counter(matches.annotate(accepted=accepted).values_list("accepted", flat=True))
    replays = matches.filter(replay__isnull=False).count()
    yield Demand(name="matches", measured=len(ids))
    yield Demand(name="lost: without exactly one result", measured=len(ids) - counted[1], most=0)
    yield Demand(name="without a replay", measured=len(ids) - replays, most=0)
    void = matches.filter(state=MatchState.VOID).count()
    yield Demand(name="void", measured=void, most=0)
    again = matches.filter(attempts_made__gt=1).count()
    yield Demand(name="played more than once", measured=again, remark="the price of the cut")


def _judge_shares(trial: NodesTrial, *, taking: int) -> Iterator[Demand]:
    for number in range(1, NODES + 1):
        web = 1 + (number - 1) % WEBS
        hints = "the broker" if number > NODES - taking else "the site"
        yield Demand(
            name=f"results of node {number}",
            measured=trial.played_by(number),
            least=1,
            remark=f"through web process {web}, hints of {hints}",
        )


def _judge_memory(before: dict[Member, float], after: dict[Member, float]) -> Iterator[Demand]:
    for role in (CrewRole.WEB, CrewRole.RECONCILER, CrewRole.STANDALONE):
        members = [each for each in before if each in after and each.role is role]
        largest = max(after[each] for each in members)
        yield Demand(
            name=f"memory of a {role} from a third to the end, MiB more",
            measured=max(after[each] - before[each] for each in members),
            most=MOST_LATE_GROWTH_MIB,
            remark=f"{len(members)} processes, the largest has {largest:.0f} MiB",
        )


def _vendor() -> str:
    return "PostgreSQL" if "postgresql" in settings.DATABASES["default"]["ENGINE"] else "SQLite"


@contextmanager
def _open_trial(taking: int) -> Iterator[NodesTrial]:
    prepare_database()
    prepare_static_files()
    owner = User.objects.create_user(username="benchmark", password=None)
    archive = measured_bot("random")
    version = store_version(actor=owner, archive=archive)
    folder = Path(str(settings.DATA_FOLDER)).parent
    webs = [_stack(folder) for _ in range(WEBS)]
    broker = str(read_environment().worker_broker)
    ways: list[Network] = []
    services = [*_services(webs)]
    for number in range(1, NODES + 1):
        orders = folder / f"network-{number}.sock"
        server_port = webs[(number - 1) % WEBS].port
        ways = [Network(port=free_port_here(), server_port=server_port, orders=orders)]
        variables = {}
        if number > NODES - taking:
            server_port, port = int(urlsplit(broker).port or 0), free_port_here()
            orders = folder / f"broker-{number}.sock"
            ways.append(Network(port=port, server_port=server_port, orders=orders))
            variables[VARIABLE] = worker_broker(port, of=broker)
        services += [way.service() for way in ways]
        services.append(standalone_worker(folder, ways[0], number, **variables))
    crew = Crew(services, workers=0, logs=folder / "logs")
    try:
        crew.tend()
        yield NodesTrial(crew=crew, ways=ways, version=version)
    finally:
        crew.stop()


def _stack(folder: Path) -> Stack:
    return Stack(
        host=_HOST,
        port=free_port_here(),
        workers=0,
        folder=folder,
        redis_url=str(settings.REDIS_URL),
    )


def _services(webs: Sequence[Stack]) -> Iterator[Service]:
    """Yield two web processes and a reconciler; the broker runs already."""
    for stack in webs:
        yield from (each for each in stack.services() if each.name == CrewRole.WEB)
    reconciler = next(each for each in webs[0].services() if each.name == CrewRole.RECONCILER)
    yield reconciler


if __name__ == "__main__":
    try:
        sys.exit(main())
    except ServerFailed as error:
        sys.exit(str(error))
