"""One whole run: a platform, tournaments, strikes, and the account of the outcome."""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random, SystemRandom
from typing import Any, Final

from pentathlon.bots.models import BotVersion, VersionState
from pentathlon.env import CHECKOUT, IMPORT_PATH, child_environment, read_environment
from pentathlon.fleet.announcements import Work
from pentathlon.fleet.tokens import create_worker_token
from pentathlon.local.preparation import prepare_database
from pentathlon.local.servers.postgres import PostgresServer
from pentathlon.local.servers.processes import ServerFailed, free_port
from pentathlon.local.stack import Stack
from pentathlon.local.supervisor import Service
from pentathlon.matches.models import Match
from pentathlon.tournaments.models import Tournament
from tools.chaos.audit import Account, account_of, refusals_in
from tools.chaos.clock import Clock
from tools.chaos.crew import Crew, CrewRole
from tools.chaos.disks import Disks, disks
from tools.chaos.document import events_for, remains, size_for, start_tournaments, submit_bots
from tools.chaos.ladder import LadderUnderFire
from tools.chaos.network import Network
from tools.chaos.scene import Scene
from tools.chaos.storm import Repairs, Show, Storm
from tools.chaos.strikes import plan, strikes_on
from tools.worker_broker import VARIABLE, broker_options

_HOST: Final = "127.0.0.1"
_FIRST_PORT: Final = 10_000
_PORTS: Final = 10_000
_READY_S: Final = 120.0
# A killed server loses nothing committed, although it does not wait for the disk.
_DURABLE: Final = ("fsync=off", "full_page_writes=off")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """The options of a run."""

    matches: int
    faults: int
    postgres: bool
    seed: int
    game: str
    workers: int
    slots: int
    standalone: int
    """The number of workers without keys, with one slot each."""
    taking: int
    """How many of them take hints from the broker; the others ask the site."""
    folder: Path
    logs: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The result of a run."""

    seed: int
    database: str
    full_disk: str
    """Whether a worker's full disk was "real" or "imitated"."""
    faults: Mapping[str, int]
    account: Account
    refused: Mapping[str, int]
    """The number of late results that were dropped, by code."""
    requeued: int
    tournaments: Mapping[str, int]
    """The number of matches of each tournament, by its name."""
    table_equal: bool
    """Whether places, strengths and ratings in all final tables equal the quiet run's."""
    results_equal: bool
    """Whether pairings, seeds and results of all matches equal the quiet run's."""

    @property
    def is_sound(self) -> bool:
        """Whether the run proves that nothing was lost, doubled or different."""
        return self.account.is_sound and self.table_equal and self.results_equal

    def to_json(self) -> dict[str, Any]:  # Any: JSON
        """Return all numbers."""
        return {
            "seed": self.seed,
            "database": self.database,
            "full_disk": self.full_disk,
            "faults": dict(self.faults),
            **self.account.to_json(),
            "refused": dict(self.refused),
            "requeued": self.requeued,
            "tournaments": dict(self.tournaments),
            "table_equal": self.table_equal,
            "results_equal": self.results_equal,
            "sound": self.is_sound,
        }


def run(wish: Wish, *, show: Show) -> Report:
    """Play tournaments under fire and again in peace; say what differs."""
    with _database(wish) as postgres, disks() as drives, _crew(wish, drives) as (crew, networks):
        repairs = Repairs()
        scene = Scene(
            crew=crew,
            disks=drives,
            postgres=postgres,
            rng=Random(f"{wish.seed}:victims"),
            later=repairs.later,
            networks=networks,
            clock=Clock(wish.folder),
        )
        kinds = strikes_on(postgres=wish.postgres, standalone=bool(networks))
        strikes = list(plan(wish.seed, wish.faults, kinds))
        storm = Storm(scene=scene, repairs=repairs, strikes=strikes, kinds=kinds)
        tournaments = _start_tournaments(wish, storm, show)
        ladder = _join_ladder(wish, storm, tournaments)
        fewest = ladder.matches + sum(each.fewest or each.planned for each in tournaments)
        storm.rage_over(tournaments, ladder=ladder, matches=fewest, show=show)
        show("counting what became of every match")
        for each in tournaments:
            each.refresh_from_db()
        every = [*tournaments, *ladder.tables()]
        account = account_of(every)
        left = json.loads(json.dumps(remains(tournaments)))
        played = {each.name: each.scheduled for each in every}
        sandbox = Match.objects.filter(place__tournament__in=tournaments)[0].sandbox
    show("playing the same documents without faults")
    quiet = _quiet_remains(wish, sandbox=sandbox)
    return Report(
        seed=wish.seed,
        database="postgres" if wish.postgres else "sqlite",
        full_disk=drives.kind,
        faults=storm.done,
        account=account,
        refused=refusals_in(wish.logs),
        requeued=storm.requeued,
        tournaments=played,
        table_equal=all(_are_equal(left, quiet, what) for what in ("table", "places")),
        results_equal=_are_equal(left, quiet, "results"),
    )


def _are_equal(left: dict[str, Any], quiet: dict[str, Any], what: str) -> bool:  # Any: JSON
    return {name: part[what] for name, part in left.items()} == {
        name: part[what] for name, part in quiet.items()
    }


def _start_tournaments(wish: Wish, storm: Storm, show: Show) -> list[Tournament]:
    show("validating the bots")
    size = size_for(wish.matches)
    versions = submit_bots(size.bots, game=wish.game)
    ids = [version.pk for version in versions]
    eligible = BotVersion.objects.filter(pk__in=ids, state=VersionState.ELIGIBLE)
    storm.wait_until(
        lambda: eligible.count() == len(ids), what="eligible bots", patience_s=_READY_S
    )
    return start_tournaments(versions, events=events_for(size), game=wish.game, seed=wish.seed)


def _join_ladder(wish: Wish, storm: Storm, tournaments: list[Tournament]) -> LadderUnderFire:
    """Join the ladder of the game, once the documents of all tournaments are fixed."""
    ladder = LadderUnderFire(key=wish.game, matches_a_season=max(8, wish.matches // 10))
    storm.wait_until(ladder.is_open, what="an open ladder", patience_s=_READY_S)
    entries = tournaments[0].entries.in_order()
    ladder.join([entry.version for entry in entries])
    return ladder


@contextmanager
def _database(wish: Wish) -> Iterator[PostgresServer | None]:
    if not wish.postgres:
        prepare_database()
        yield None
        return
    server = PostgresServer(wish.folder, settings=_DURABLE)
    try:
        server.create()
        prepare_database()
        yield server
    finally:
        server.stop()


@contextmanager
def _crew(wish: Wish, drives: Disks) -> Iterator[tuple[Crew, Sequence[Network]]]:
    stack = Stack(
        host=_HOST, port=free_port_here(), workers=wish.slots, folder=wish.folder, redis_url=None
    )
    broker = str(read_environment().worker_broker)
    changed = {
        CrewRole.BROKER: lambda command: [*command, *broker_options(broker)],
        CrewRole.WORKER: drives.command,
    }
    services = [
        replace(each, command=changed.get(CrewRole(each.name), list)(each.command))
        for each in stack.services()
    ]
    networks: list[Network] = []
    for number in range(1, wish.standalone + 1):
        orders = wish.folder / f"network-{number}.sock"
        networks.append(Network(port=free_port_here(), server_port=stack.port, orders=orders))
        way = {VARIABLE: broker} if number <= wish.taking else {}
        worker = standalone_worker(wish.folder, networks[-1], number, **way)
        services += [networks[-1].service(), worker]
    crew = Crew(services, workers=wish.workers, logs=wish.logs)
    try:
        crew.tend()
        yield crew, networks
    finally:
        crew.stop()


def free_port_here() -> int:
    """Return a free port that another run on this machine is unlikely to take."""
    # Another run may have found a free port, too, on which it does not listen yet.
    return free_port(_HOST, _FIRST_PORT + SystemRandom().randrange(_PORTS))


def standalone_worker(home: Path, network: Network, number: int, **variables: str) -> Service:
    """Return a worker without keys that reaches the site through a network."""
    folder = home / f"standalone-{number}"
    folder.mkdir()
    work = [work.value for work in Work]
    _, secret = create_worker_token(actor=None, name=f"standalone {number}", work=work)
    token = folder / "token"
    token.touch(mode=0o600)
    token.write_text(secret)
    return Service(
        name=CrewRole.STANDALONE,
        command=[
            *(sys.executable, "-m", "workers", "--server", f"http://{_HOST}:{network.port}"),
            *("--token-file", token, "--slots", "1", "--data", folder),
        ],
        environment={
            "PATH": child_environment()["PATH"],
            "PYTHONPATH": IMPORT_PATH,
            "PENTATHLON_DATA": str(folder),
            "PENTATHLON_LOG_JSON": "1",
            "PENTATHLON_LOG_LEVEL": "INFO",
            **Clock(home).environment,
            **variables,
        },
    )


def _quiet_remains(wish: Wish, *, sandbox: str) -> dict[str, Any]:  # Any: JSON
    command = [sys.executable, "-m", "tools.chaos.quiet", "--matches", str(wish.matches)]
    command += ["--game", wish.game, "--seed", str(wish.seed), "--sandbox", sandbox]
    environment = child_environment(
        DATABASE_URL=f"sqlite:///{wish.folder}/quiet.sqlite3",
        PENTATHLON_DATA=str(wish.folder / "quiet"),
    )
    ended = subprocess.run(
        command, cwd=CHECKOUT, env=environment, capture_output=True, text=True, check=False
    )
    if ended.returncode:
        raise ServerFailed("The quiet run", "did not finish.", ended.stderr)
    found: dict[str, Any] = json.loads(ended.stdout)
    return found
