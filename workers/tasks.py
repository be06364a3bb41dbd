"""The task of a worker, and how Celery starts and stops one. A message is only a hint."""

from __future__ import annotations

import sys
from functools import partial
from typing import Any, Final

import structlog
from billiard.process import current_process
from celery.signals import (
    worker_init,
    worker_process_init,
    worker_process_shutdown,
    worker_shutting_down,
)
from celery.worker import state
from django.conf import settings
from django.db import InterfaceError, OperationalError

from pentathlon import tracing
from pentathlon.common.schema import wait_for_schema
from pentathlon.fleet.capabilities import least_sandbox
from workers.celery_app import app
from workers.direct.adapter import DirectPlatform
from workers.direct.analyses import DirectAnalyses
from workers.direct.audience import DirectAudience
from workers.direct.friendlies import DirectFriendlies
from workers.drain import Drain
from workers.hint_queues import LOOK_S, HintQueues
from workers.host.cpu_pressure import Starvation
from workers.port import PlatformAway
from workers.process import WorkerProcess
from workers.sandbox.errors import LayerMissing
from workers.sandbox.levels import choose_probe
from workers.slots.broadcast import Broadcast

LONGEST_TASK_S: Final = 3 * 3600
"""A backstop: a match without progress loses its lease long before this."""
KEYS_REFUSED: Final = (
    "This worker does not start: in production, machines that run bots of others hold no password "
    "of the database. Make a token by `python3 manage.py worker_token create NAME` and start "
    "`python -m workers --server https://SITE --token-file FILE` without DATABASE_URL."
)

_log = structlog.stdlib.get_logger(__name__)
_worker: WorkerProcess | None = None


@app.task(
    name="play_matches",
    ignore_result=True,
    soft_time_limit=LONGEST_TASK_S,
    time_limit=LONGEST_TASK_S + 60,
    throws=(PlatformAway,),
)
def play_matches(match_ids: list[int]) -> None:
    """Play those of these matches that still wait; a second delivery costs one query."""
    worker = worker_process()
    if settings.REDIS_URL is None and worker.is_held:
        # A queue of files gives out messages in any order, so giving them back costs no place.
        worker.give_back(match_ids)
        return
    parent = getattr(play_matches.request, tracing.HEADER, None) or ""
    with tracing.span("follow hint", parent=parent, kind="consumer"):
        worker.play(match_ids)


@app.task(
    name="analyse_match",
    ignore_result=True,
    soft_time_limit=LONGEST_TASK_S,
    time_limit=LONGEST_TASK_S + 60,
    throws=(InterfaceError, OperationalError),
)
def analyse_match(match_id: int, *, is_lent: bool = False) -> None:
    """Compute the win-chance curve of a match, unless another worker does or matches wait.

    With `is_lent`, matches wait for a while for the slot.
    """
    worker_process().analyse(match_id, is_lent=is_lent)


@app.task(
    name="move_bots",
    ignore_result=True,
    soft_time_limit=LONGEST_TASK_S,
    time_limit=LONGEST_TASK_S + 60,
    throws=(PlatformAway,),
)
def move_bots(friendly_ids: list[int]) -> None:
    """Move the bots of friendlies that wait for them; a second delivery costs one query."""
    worker_process().move_bots(friendly_ids)


def _audience() -> DirectAudience | None:
    return None if settings.REDIS_URL is None else DirectAudience(settings.REDIS_URL)


def worker_process(*, slots: int = 1) -> WorkerProcess:
    """Return this worker; the parent process makes it, and its slots inherit it.

    Raises:
        LayerMissing: no sandbox that is strong enough works here.
    """
    global _worker  # noqa: PLW0603  # Celery hands no object of ours from its signals to its tasks
    if _worker is None:
        probe = choose_probe(least=least_sandbox(), warn=_log.warning)
        _worker = WorkerProcess(
            probe,
            platform=DirectPlatform(),
            friendlies=DirectFriendlies(),
            analyses=DirectAnalyses(),
            slots=slots,
            drain=Drain(grace_s=settings.DRAIN_S),
            starvation=Starvation(slots=slots, starved=settings.STARVED_SHARE),
            broadcast=Broadcast(_audience()),
        )
    return _worker


@worker_init.connect
def _start_worker(sender: Any = None, **_: object) -> None:  # Any: Celery's worker
    """Prepare the parent process; end it where it would hold keys or cannot isolate bots."""
    if settings.PRODUCTION:
        sys.exit(KEYS_REFUSED)
    wait_for_schema()
    try:
        worker_process(slots=getattr(sender, "concurrency", 1)).adopt_pool_files()
    except LayerMissing as error:
        sys.exit(f"This worker does not start. {error}")
    if settings.REDIS_URL is not None:
        app.conf.broker_transport_options = {
            **app.conf.broker_transport_options,
            "queue_order_strategy": partial(HintQueues, is_held=_is_held),
            "polling_interval": LOOK_S,
        }


def _is_held() -> bool:
    """Return whether this worker plays as many matches as it may; for its parent process."""
    playing = sum(request.name == play_matches.name for request in state.reserved_requests)
    return not worker_process().has_room(playing)


@worker_process_init.connect
def _start_slot(**_: object) -> None:
    worker_process().become_slot(int(getattr(current_process(), "index", 0)))


@worker_shutting_down.connect
def _drain(**_: object) -> None:
    worker_process().drain.ask()


@worker_process_shutdown.connect
def _remove_files(**_: object) -> None:
    worker_process().remove_files()
