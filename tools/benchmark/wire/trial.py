"""Plays the same matches with both kinds of worker in turns, and compares the costs."""

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import django

django.setup()

# Models exist only from here on.
from django.conf import settings  # noqa: E402

from pentathlon.accounts.models import User  # noqa: E402
from pentathlon.bots.models import BotVersion  # noqa: E402
from pentathlon.bots.services import store_version  # noqa: E402
from pentathlon.env import IMPORT_PATH, child_environment, read_environment  # noqa: E402
from pentathlon.fleet.announcements import Work  # noqa: E402
from pentathlon.fleet.models import Worker  # noqa: E402
from pentathlon.fleet.tokens import create_worker_token  # noqa: E402
from pentathlon.local.preparation import prepare_database  # noqa: E402
from pentathlon.local.servers import processes  # noqa: E402
from pentathlon.local.servers.processes import free_port  # noqa: E402
from pentathlon.roles import worker_command  # noqa: E402
from tools.benchmark.archives import measured_bot  # noqa: E402
from tools.benchmark.load.stage import read_options  # noqa: E402
from tools.benchmark.stage import Stage, has_settled  # noqa: E402
from tools.worker_broker import VARIABLE  # noqa: E402

DIRECT: Final = "direct, hints of the broker"
HTTP: Final = "HTTP, hints of the broker"
POLL: Final = "HTTP, hints of the site"
KINDS: Final = (DIRECT, HTTP, POLL)
MOST: Final = 1.05
"""The largest allowed ratio of a match's cost through HTTP to its cost without."""
_AT_A_TIME: Final = 16
"""The number of matches published together: two hints of short matches."""
_HOST: Final = "127.0.0.1"
_FIRST_PORT: Final = 8600


@dataclass(slots=True)
class KindCosts:
    """The cost of one kind of worker for all its matches."""

    cpu_s: float = 0.0
    wall_s: float = 0.0
    matches: int = 0

    def add(self, cpu_s: float, wall_s: float, matches: int) -> None:
        """Count some more matches."""
        self.cpu_s += cpu_s
        self.wall_s += wall_s
        self.matches += matches

    def to_json(self) -> dict[str, float]:
        """Return milliseconds per match."""
        each = 1000 / self.matches
        return {"cpu_ms": round(self.cpu_s * each, 2), "wall_ms": round(self.wall_s * each, 2)}


@dataclass(kw_only=True)
class WireTrial:
    """Both kinds of worker on one platform."""

    folder: Path
    game: str
    owner: User
    version: BotVersion
    seed: int = 0
    costs: dict[str, KindCosts] = field(
        default_factory=lambda: {kind: KindCosts() for kind in KINDS}
    )

    def play_round(self, matches: int) -> None:
        """Play some matches with each kind of worker."""
        for kind, cost in self.costs.items():
            with self._stage(kind) as stage:
                self._play(stage, _AT_A_TIME)
                for _ in range(-(-matches // _AT_A_TIME)):
                    cost.add(*self._play(stage, _AT_A_TIME), _AT_A_TIME)

    def _play(self, stage: Stage, matches: int) -> tuple[float, float]:
        seeds = range(self.seed, self.seed + matches)
        self.seed += matches
        return stage.play(stage.schedule(self.version, self.game, seeds))

    @contextmanager
    def _stage(self, kind: str) -> Iterator[Stage]:
        Worker.objects.all().delete()
        with ExitStack() as ends:
            log = self.folder / "worker.log"
            others: list[int] = []
            if kind == DIRECT:
                command: Sequence[str | Path] = worker_command(slots=1)
                environment = child_environment()
            else:
                site, web = self._start_web(ends)
                others.append(web.pid)
                command = self._bare_command(site)
                environment = {
                    "PATH": child_environment()["PATH"],  # to find the same compilers
                    "PYTHONPATH": IMPORT_PATH,
                    "PENTATHLON_STARVED_SHARE": "2",
                }
                if kind == HTTP:
                    environment[VARIABLE] = str(read_environment().worker_broker)
            with log.open("ab") as output:
                worker = processes.start(command, output=output, environment=environment)
            ends.callback(processes.stop, worker)
            stage = Stage(worker=worker, log=log, owner=self.owner, others=tuple(others))
            stage.wait_for(has_settled)
            yield stage

    def _start_web(self, ends: ExitStack) -> tuple[str, subprocess.Popen[bytes]]:
        port = free_port(_HOST, _FIRST_PORT)
        command = [sys.executable, "-m", "django", "serve", "--port", str(port)]
        with (self.folder / "web.log").open("ab") as output:
            web = processes.start(command, output=output, environment=child_environment())
        ends.callback(processes.stop, web)
        return f"http://{_HOST}:{port}", web

    def _bare_command(self, site: str) -> list[str | Path]:
        work = [work.value for work in Work]
        _, secret = create_worker_token(actor=None, name=f"bench {self.seed}", work=work)
        secret_file = self.folder / "token"
        secret_file.write_text(secret)
        return [
            *(sys.executable, "-m", "workers", "--server", site, "--slots", "1"),
            *("--token-file", secret_file, "--data", self.folder / "state"),
        ]


def main() -> int:
    """Print the costs; return 1 if a match through HTTP is too dear."""
    options = read_options("matches", "rounds", "game")
    prepare_database()
    owner = User.objects.create_user(username="benchmark", password=None)
    version = store_version(actor=owner, archive=measured_bot("random"))
    trial = WireTrial(
        folder=Path(str(settings.DATA_FOLDER)).parent,
        game=options.game,
        owner=owner,
        version=version,
    )
    for _ in range(options.rounds):
        trial.play_round(options.matches)
    costs = {kind: cost.to_json() for kind, cost in trial.costs.items()}
    ratio = max(costs[kind]["cpu_ms"] for kind in (HTTP, POLL)) / costs[DIRECT]["cpu_ms"]
    if options.json:
        report = {"game": options.game, **costs, "cpu_ratio": round(ratio, 3), "most": MOST}
        sys.stdout.write(json.dumps(report, indent=2) + "\n")
    else:
        for kind, cost in costs.items():
            sys.stdout.write(
                f"{kind:28} {cost['cpu_ms']:8.2f} ms CPU, {cost['wall_ms']:8.2f} ms a match\n"
            )
        sys.stdout.write(f"http / direct by CPU: {ratio:.3f} (at most {MOST})\n")
    return int(ratio > MOST)


if __name__ == "__main__":
    sys.exit(main())
