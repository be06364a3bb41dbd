"""The run of `bench live` on servers that were started for it."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from http.client import HTTPConnection
from pathlib import Path
from random import Random
from statistics import median, quantiles
from typing import Any, Final

import django
from redis import Redis

from pentathlon.local.servers import processes
from pentathlon.local.servers.ports import free_port
from pentathlon_engines import GAMES
from pentathlon_engines.match.referee import Referee
from tools.benchmark.archives import measured_bot
from tools.benchmark.live.ears import HOST, Ears
from tools.benchmark.meter import cpu_s_of

django.setup()

# Models exist only from here on.
from django.conf import settings  # noqa: E402

from pentathlon.accounts.models import User  # noqa: E402
from pentathlon.bots.services import store_version  # noqa: E402
from pentathlon.live.frames import match_channel  # noqa: E402
from pentathlon.local.preparation import prepare_database  # noqa: E402
from pentathlon.matches.jobs import Job  # noqa: E402
from pentathlon.matches.models import MatchKind  # noqa: E402
from pentathlon.matches.services import claim_matches, schedule_matches  # noqa: E402
from pentathlon.matches.specs import MatchSpec  # noqa: E402
from workers.direct.audience import DirectAudience  # noqa: E402
from workers.slots.broadcast import Broadcast  # noqa: E402

LONGEST_DELAY_MS: Final = 1000.0
_FIRST_PORT: Final = 18_900
_PATIENCE_S: Final = 300
_LAST_FRAME_S: Final = 1.0
_LOOK_S: Final = 0.02
"""The time between two looks of the runner at a thinking bot."""
_GAME: Final = "azure"

Figures = dict[str, tuple[float, float | None]]
"""What was measured and the most that is allowed; None where nothing is demanded."""


def main(asked: dict[str, Any]) -> int:  # Any: JSON
    """Measure, print, and return the exit status."""
    prepare_database()
    job, broker = claim_watched_match(_make_version()), Redis.from_url(str(settings.REDIS_URL))
    port = free_port(HOST, _FIRST_PORT)
    command = [sys.executable, "-m", "django", "serve", "--host", HOST, "--port", str(port)]
    web = processes.start(command)
    try:
        _wait_for(lambda: _answers(port))
        ears = Ears(port=port, match=job.match_id, count=asked["listeners"])
        found = measure_listeners(job, ears, broker, web=web.pid, asked=asked)
    finally:
        broker.close()
        processes.stop(web)
    missed = [what for what, (value, most) in found.items() if most is not None and value > most]
    if asked["json"]:
        print(json.dumps({what: value for what, (value, _) in found.items()}, indent=2))  # noqa: T201  its result
        return bool(missed)
    for what, (value, most) in found.items():
        demanded = "" if most is None else f"   demanded: at most {most:g}"
        print(f"{what:<40}{value:>10.1f}{demanded}")  # noqa: T201  its result
    return bool(missed)


def measure_listeners(
    job: Job,
    ears: Ears,
    broker: Redis,
    *,
    web: int,
    asked: dict[str, Any],  # Any: JSON
) -> Figures:
    """Play a match that all listeners hear from a web process; return what that cost."""
    memory_kb = _memory_kb(web)
    thread = ears.start()
    _wait_for(lambda: ears.connected == ears.count)
    web_s, servers_s = cpu_s_of([web]), cpu_s_of([_pid_of(broker)])
    made = _play(job, plies=asked["plies"], every_s=asked["every"])
    web_s, servers_s = cpu_s_of([web]) - web_s, cpu_s_of([_pid_of(broker)]) - servers_s
    memory_kb = _memory_kb(web) - memory_kb
    subscribed = broker.pubsub_numsub(match_channel(job.match_id))[0][1]
    connections = len(broker.client_list(_type="pubsub"))
    ears.is_over.set()
    thread.join(_PATIENCE_S)
    _wait_for(lambda: not broker.client_list(_type="pubsub"))
    left = len(broker.pubsub_channels("pentathlon:live:*"))
    delays = [1000 * (at - made[ply]) for ply, at in ears.heard if ply in made]
    return {
        "listeners": (ears.count, None),
        "subscriptions of the web process": (subscribed, 1),
        "its connections that subscribe": (connections, 1),
        "channels left when all have gone": (left, 0),
        "delay of a ply, median (ms)": (median(delays), LONGEST_DELAY_MS),
        "delay of a ply, 99 % (ms)": (quantiles(delays, n=100)[-1], LONGEST_DELAY_MS),
        "plies heard by themselves (%)": (100 * len(delays) / (ears.count * len(made)), None),
        "memory per listener (kB)": (memory_kb / ears.count, None),
        "CPU of the web process per ply (ms)": (1000 * web_s / len(made), None),
        "CPU of the broker per ply (ms)": (1000 * servers_s / len(made), None),
        "bytes per ply and listener": (ears.size / ears.count / len(made), None),
    }


def _play(job: Job, *, plies: int, every_s: float) -> dict[int, float]:
    """Play slowly, and broadcast as a worker does; return the time of each ply."""
    see = Broadcast(DirectAudience(str(settings.REDIS_URL))).watch(job)
    if see is None:
        raise RuntimeError("this match may not be watched")
    referee = Referee(game=GAMES[_GAME], seats=2, options=None, seed=5)
    luck = Random(5)
    made: dict[int, float] = {}
    while referee.seat_to_ask() is not None and len(made) < plies:
        action = referee.state.random_action(luck)
        referee.accept(referee.state.text(action), cpu_ms=1, wall_ms=1)
        made[referee.ply] = time.monotonic()
        while time.monotonic() < made[referee.ply] + every_s:
            see(referee)
            time.sleep(_LOOK_S)
    time.sleep(_LAST_FRAME_S)
    return made


def claim_watched_match(version: int) -> Job:
    """Make a watched match of a version against itself, and claim it."""
    spec = MatchSpec(kind=MatchKind.TOURNAMENT, game=_GAME, seating=(version,) * 2, seed=5)
    (match,) = schedule_matches([spec])
    (job,) = claim_matches(match_ids=[match.pk], worker="benchmark")
    return job


def _make_version() -> int:
    owner = User.objects.create_user(username="benchmark", email="", password=None)
    return store_version(actor=owner, archive=measured_bot("random")).pk


def _pid_of(broker: Redis) -> int:
    return int(broker.info("server")["process_id"])


def _memory_kb(pid: int) -> int:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * 4


def _answers(port: int) -> bool:
    connection = HTTPConnection(HOST, port, timeout=_PATIENCE_S)
    try:
        connection.request("GET", "/tv/")
        return bool(connection.getresponse().read())
    except OSError:
        return False
    finally:
        connection.close()


def _wait_for(is_true: Callable[[], object]) -> None:
    deadline = time.monotonic() + _PATIENCE_S
    while not is_true():
        if time.monotonic() > deadline:
            raise TimeoutError("The measurement does not finish.")
        time.sleep(_LOOK_S)


if __name__ == "__main__":
    sys.exit(main(json.loads(sys.argv[1])))
