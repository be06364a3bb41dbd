"""Strikes of which no process dies, and which nobody may notice: lapses, damage, a thief."""

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from secrets import token_hex
from typing import Final

from django.db import connection
from django.db.models import Model, QuerySet

from pentathlon.bots.models import Archive
from pentathlon.core.errors import DomainError
from pentathlon.fleet.announcements import Announcement, Work
from pentathlon.fleet.models import Worker
from pentathlon.fleet.queues import MATCHES
from pentathlon.fleet.tokens import create_worker_token
from pentathlon.matches.models import Match, MatchState
from pentathlon.matches.replays.models import Replay
from tools.chaos.scene import DATABASE, Scene, broker, one_of
from workers.port import Lease, PlatformAway
from workers.remote.adapter import RemotePlatform

THIEF: Final = "stolen"
"""The first word in the names of stolen tokens, which are no honest workers."""
_READ_ONLY_S: Final = 20.0
_DAMAGED_S: Final = 10.0
_RENEWED_AFTER_S: Final = (10.0, 20.0)
_STOLEN: Final = 10
_LOOKED_AT: Final = 1000
_CUT_OTHERS: Final = """
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()
"""


def make_database_read_only(scene: Scene) -> bool:
    """Let the database take no writes for a while, as a standby does before it is promoted."""
    if connection.vendor != "postgresql" or DATABASE in scene.away:
        return False
    scene.away.add(DATABASE)

    def promote() -> None:
        _set_read_only(is_so=False)
        scene.away.discard(DATABASE)

    scene.later(_READ_ONLY_S, promote)
    _set_read_only(is_so=True)
    return True


def _set_read_only(*, is_so: bool) -> None:
    """Change it for all new connections, and end all others; this one goes on writing."""
    with connection.cursor() as cursor:
        cursor.execute("SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE")
        name = connection.ops.quote_name(connection.settings_dict["NAME"])
        value = "on" if is_so else "off"
        cursor.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = {value}")
        cursor.execute(_CUT_OTHERS)


def send_unreadable_message(scene: Scene) -> bool:
    """Put a message into the queue that is no message."""
    with broker() as client:
        client.lpush(MATCHES, scene.rng.choice((b"{", b"[]", b"\x00\xff", b"null")))
    return True


def _damaged(model: type[Model]) -> Callable[[Scene], bool]:
    """Return a strike that flips one stored bit of a row, and flips it back after a while."""

    def flip(scene: Scene) -> bool:
        rows = model._default_manager.order_by("-pk")
        pk = one_of(scene, list(rows.values_list("pk", flat=True)[:_LOOKED_AT]))
        row = model._default_manager.filter(pk=pk)
        whole = bytes(row.values_list("data", flat=True).first() or b"")
        if not whole:
            return False
        damaged = bytearray(whole)
        damaged[scene.rng.randrange(len(whole))] ^= 1 << scene.rng.randrange(8)
        row.update(data=bytes(damaged))
        # Whoever has mended it meanwhile has the last word.
        scene.later(_DAMAGED_S, lambda: _put_back(row.filter(data=bytes(damaged)), whole))
        return True

    return flip


def _put_back(rows: QuerySet[Model], whole: bytes) -> None:
    rows.update(data=whole)


replay_damaged: Final = _damaged(Replay)
archive_damaged: Final = _damaged(Archive)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Thief:
    """Somebody with a worker's token who takes matches and never plays one."""

    platform: RemotePlatform
    leases: list[Lease]

    def renew(self) -> None:
        """Claim to be at it still."""
        with suppress(DomainError, PlatformAway):
            self.platform.renew(self.leases)


def hold_with_stolen_token(scene: Scene) -> bool:
    """Take matches by the token of a worker, announce slots that there are not, and hold on."""
    network = one_of(scene, scene.networks)
    worker = Worker.objects.alive().first()
    if network is None or worker is None:
        return False
    name = f"{THIEF} {token_hex(4)}"
    _, secret = create_worker_token(actor=None, name=name, work=list(Work))
    server = f"http://127.0.0.1:{network.server_port}"
    folder = network.orders.parent / name
    platform = RemotePlatform(server=server, token=secret, unsent=folder)
    announcement = Announcement(
        name="host/1",
        slots=1000,
        games=worker.games,
        runtimes=worker.runtimes,
        sandbox=worker.sandbox,
        layers=worker.layers,
        version=worker.version,
        began_s=time.monotonic(),
    )
    waiting = Match.objects.filter(state=MatchState.PENDING, sent_at__isnull=False).order_by("pk")
    ids = list(waiting.values_list("pk", flat=True)[:_STOLEN])
    try:
        platform.announce(announcement)
        jobs = platform.claim(ids, slot="host/1.0", announcement=announcement)
    except (DomainError, PlatformAway):
        return False
    thief = _Thief(platform=platform, leases=[Lease(job=job, ply=0) for job in jobs])
    for after_s in _RENEWED_AFTER_S:
        scene.later(after_s, thief.renew)
    return bool(jobs)
