"""Strikes on a running platform: each names its victim and its repair."""

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from random import Random
from typing import Final

from pentathlon.fleet.queues import MATCHES
from pentathlon.matches.jobs import LEASE_S
from pentathlon.matches.models import Match
from tools.chaos.backwards import restore_database, set_clock_ahead, set_clock_back
from tools.chaos.crew import WORKERS, CrewRole
from tools.chaos.network import Condition
from tools.chaos.scene import DATABASE, Scene, Strike, broker, one_of
from tools.chaos.silent import (
    archive_damaged,
    hold_with_stolen_token,
    make_database_read_only,
    replay_damaged,
    send_unreadable_message,
)
from tools.chaos.victims import Frozen, bots_of, remove_files, sandboxes_of
from workers.tasks import play_matches

PAUSE_S: Final = LEASE_S + 5.0
"""A worker that hangs for this long has lost its matches by the time it wakes up."""
_FULL_DISK_S: Final = 5.0
_FROZEN_S: Final = 6.0
"""Longer than a bot may take for one action."""
_AWAY_S: Final = 20.0
"""Longer than a worker's lease still lasts when it is renewed."""
_LATE_S: Final = (1.0, 15.0)
_BROKEN_S: Final = 12.0
"""Longer than a worker without keys waits for an answer."""
_HALF_OPEN: Final = (Condition.LOSES_REQUESTS, Condition.LOSES_ANSWERS)
_FEW_HINTS: Final = 10


def _kill_slot(scene: Scene) -> bool:
    worker = one_of(scene, scene.crew.running(*WORKERS))
    return _kill_one(scene, worker.children() if worker else [])


def _kill_one(scene: Scene, pids: Sequence[int]) -> bool:
    pid = one_of(scene, pids)
    if pid is not None:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return pid is not None


def _kill(role: CrewRole) -> Callable[[Scene], bool]:
    def kill(scene: Scene) -> bool:
        member = one_of(scene, scene.crew.running(role))
        if member is not None:
            member.kill()
        return member is not None

    return kill


def _empty_broker(scene: Scene) -> bool:
    with broker() as client:
        client.flushall()
    return True


def _kill_bot(scene: Scene) -> bool:
    return _kill_one(scene, bots_of(_slots(scene)))


def _kill_sandbox(scene: Scene) -> bool:
    return _kill_one(scene, sandboxes_of(_slots(scene)))


def _slots(scene: Scene) -> list[int]:
    return [pid for worker in scene.crew.running(*WORKERS) for pid in worker.children()]


def _remove_bot_files(scene: Scene) -> bool:
    worker = one_of(scene, scene.crew.running(*WORKERS))
    return worker is not None and remove_files(worker.children())


def _freeze_worker(seconds: float) -> Callable[[Scene], bool]:
    """Return a strike that stops a worker with its bots, as a paused or moved host would."""

    def freeze(scene: Scene) -> bool:
        workers = scene.crew.running(*WORKERS)
        if len(workers) < 2:  # noqa: PLR2004  one must go on
            return False
        worker = scene.rng.choice(workers)
        frozen = Frozen(worker.pid)
        worker.is_paused = True

        def thaw() -> None:
            worker.is_paused = False
            frozen.thaw()

        scene.later(seconds, thaw)
        return True

    return freeze


def _take_database_away(scene: Scene) -> bool:
    postgres = scene.postgres
    if postgres is None or DATABASE in scene.away:
        return False
    scene.away.add(DATABASE)
    postgres.crash()

    def bring_back() -> None:
        postgres.start()
        scene.away.discard(DATABASE)

    scene.later(_AWAY_S, bring_back)
    return True


def _crash_database(scene: Scene) -> bool:
    if scene.postgres is None or DATABASE in scene.away:
        return False
    scene.postgres.crash()
    scene.postgres.start()
    return True


def _repeat_hints(scene: Scene) -> bool:
    ids = list(Match.objects.order_by("-pk").values_list("pk", flat=True)[:5000])
    for _ in range(_FEW_HINTS):
        play_matches.delay([scene.rng.choice(ids)])
    return True


def _delay_hints(scene: Scene) -> bool:
    with broker() as client:
        taken = client.rpop(MATCHES, _FEW_HINTS)
    if not taken:
        return False
    scene.later(scene.rng.uniform(*_LATE_S), lambda: _deliver(taken))
    return True


def _deliver(messages: Sequence[bytes]) -> None:
    with broker() as client:
        client.lpush(MATCHES, *messages)


def _pause_worker(scene: Scene) -> bool:
    workers = scene.crew.running(*WORKERS)
    if len(workers) < 2:  # noqa: PLR2004  one must go on
        return False
    worker = scene.rng.choice(workers)
    worker.pause()
    scene.later(PAUSE_S, worker.resume)
    return True


def _fill_disk(scene: Scene) -> bool:
    """Fill a worker's disk, and kill a slot, so that the next one has to unpack all bots again."""
    worker = one_of(scene, scene.crew.running(CrewRole.WORKER))
    undo = scene.disks.fill(worker) if worker else None
    if worker is None or undo is None:
        return False
    scene.later(_FULL_DISK_S, undo)
    _kill_one(scene, worker.children())
    return True


def _spoil_network(seconds: float, *conditions: Condition) -> Callable[[Scene], bool]:
    """Return a strike that spoils the network between a worker and the server for a while."""

    def spoil(scene: Scene) -> bool:
        whole = [each for each in scene.networks if each.name not in scene.away]
        network = one_of(scene, whole)
        if network is None:
            return False
        scene.away.add(network.name)

        def mend() -> None:
            network.become(Condition.WHOLE)
            scene.away.discard(network.name)

        scene.later(seconds, mend)
        network.become(scene.rng.choice(conditions))
        return True

    return spoil


ON_A_SERVER: Final = (
    Strike(name="database crashed", weight=8, do=_crash_database),
    Strike(name="database away", weight=2, do=_take_database_away),
    Strike(name="database read-only", weight=2, do=make_database_read_only),
    Strike(name="database restored", weight=2, do=restore_database),
)
ON_STANDALONE: Final = (
    Strike(name="worker without keys killed", weight=8, do=_kill(CrewRole.STANDALONE)),
    Strike(name="network cut", weight=8, do=_spoil_network(_BROKEN_S, Condition.CUT)),
    Strike(name="network slow", weight=6, do=_spoil_network(_BROKEN_S, Condition.SLOW)),
    Strike(name="network half open", weight=8, do=_spoil_network(_BROKEN_S, *_HALF_OPEN)),
    Strike(
        name="network gone past its worker's leases",
        weight=2,
        do=_spoil_network(PAUSE_S, Condition.CUT, *_HALF_OPEN),
    ),
    Strike(name="matches held with a stolen token", weight=4, do=hold_with_stolen_token),
)
STRIKES: Final = (
    Strike(name="slot killed", weight=14, do=_kill_slot),
    Strike(name="worker killed", weight=10, do=_kill(CrewRole.WORKER)),
    Strike(name="reconciler killed", weight=12, do=_kill(CrewRole.RECONCILER)),
    Strike(name="web server killed", weight=8, do=_kill(CrewRole.WEB)),
    Strike(name="broker killed", weight=8, do=_kill(CrewRole.BROKER)),
    Strike(name="broker emptied", weight=10, do=_empty_broker),
    Strike(name="hints repeated", weight=10, do=_repeat_hints),
    Strike(name="hints late", weight=10, do=_delay_hints),
    Strike(name="worker paused past its leases", weight=2, do=_pause_worker),
    Strike(name="disk full for a worker", weight=8, do=_fill_disk),
    Strike(name="bot killed", weight=12, do=_kill_bot),
    Strike(name="sandbox killed", weight=10, do=_kill_sandbox),
    Strike(name="bot files removed", weight=8, do=_remove_bot_files),
    Strike(name="worker and bots frozen", weight=8, do=_freeze_worker(_FROZEN_S)),
    Strike(name="worker and bots frozen past its leases", weight=2, do=_freeze_worker(PAUSE_S)),
    Strike(name="message that nobody can read", weight=6, do=send_unreadable_message),
    Strike(name="bit of a replay flipped", weight=4, do=replay_damaged),
    Strike(name="bit of an archive flipped", weight=4, do=archive_damaged),
    Strike(name="clock set back", weight=2, do=set_clock_back),
    Strike(name="clock ahead for a moment", weight=2, do=set_clock_ahead),
    *ON_A_SERVER,
    *ON_STANDALONE,
)


def strikes_on(*, postgres: bool, standalone: bool = True) -> tuple[Strike, ...]:
    """Return the strikes that a database of this kind and such workers can take."""
    missing = [*(() if postgres else ON_A_SERVER), *(() if standalone else ON_STANDALONE)]
    return tuple(strike for strike in STRIKES if strike not in missing)


def plan(seed: int, number: int, kinds: Sequence[Strike]) -> Iterator[Strike]:
    """Draw the strikes of a seed, each kind once and then by weight; shuffle them."""
    rng = Random(f"{seed}:strikes")
    drawn = rng.sample(kinds, min(number, len(kinds)))
    drawn += rng.choices(kinds, [kind.weight for kind in kinds], k=number - len(drawn))
    rng.shuffle(drawn)
    yield from drawn
