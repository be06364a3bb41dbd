"""The tasks of a worker, and how Celery starts and stops one. A message is only a hint."""

from __future__ import annotations

import sys
from functools import partial
from importlib import import_module
from typing import Any, Final

import structlog
from billiard.process import current_process
from celery import bootsteps
from celery.signals import (
    worker_init,
    worker_process_init,
    worker_process_shutdown,
    worker_shutting_down,
)
from celery.worker import state

from pentathlon.core import tracing
from pentathlon.env import BadEnvironment, read_environment
from pentathlon.fleet.announcements import ANALYSE_MATCH, MOVE_BOTS, PLAY_MATCHES
from workers.celery_app import IS_REMOTE, PORT, app
from workers.drain import Drain
from workers.hint_transport import LOOK_S, HintQueues
from workers.host.cpu_pressure import Starvation
from workers.port import Platform
from workers.process import WorkerProcess
from workers.sandbox.errors import LayerMissing
from workers.sandbox.levels import choose_probe

LONGEST_TASK_S: Final = 3 * 3600
"""A backstop: a match without progress loses its lease long before this."""
TOKEN_REFUSED: Final = 3
"""The exit code of a worker whose token the site refuses."""
_WATCH_S: Final = 0.5
_OPTIONS: Final[dict[str, Any]] = {  # Any: Celery's own
    "ignore_result": True,
    "soft_time_limit": LONGEST_TASK_S,
    "time_limit": LONGEST_TASK_S + 60,
}

_log = structlog.stdlib.get_logger(__name__)
_worker: WorkerProcess | None = None


@app.task(name=PLAY_MATCHES, **_OPTIONS)
def play_matches(match_ids: list[int]) -> None:
    """Play those of these matches that still wait; a second delivery costs one query."""
    worker = worker_process()
    if not app.conf.worker_disable_prefetch and worker.starvation.is_held:
        # A queue of files gives out messages in any order, so giving them back costs no place.
        worker.give_back(match_ids)
        return
    parent = getattr(play_matches.request, tracing.HEADER, None) or ""
    with tracing.span("follow hint", parent=parent, kind="consumer"):
        worker.follow(PLAY_MATCHES, match_ids)


@app.task(name=ANALYSE_MATCH, **_OPTIONS)
def analyse_match(match_ids: list[int], *, is_lent: bool = False) -> None:
    """Compute the win-chance curves of these matches, unless another worker does or matches wait.

    With `is_lent`, matches wait for a while for the slot.
    """
    worker_process().follow(ANALYSE_MATCH, match_ids, is_lent=is_lent)


@app.task(name=MOVE_BOTS, **_OPTIONS)
def move_bots(friendly_ids: list[int]) -> None:
    """Move the bots of friendlies that wait for them; a second delivery costs one query."""
    worker_process().follow(MOVE_BOTS, friendly_ids)


def worker_process(*, slots: int = 1) -> WorkerProcess:
    """Return this worker; the parent process makes it, and its slots inherit it.

    Raises:
        LayerMissing: no sandbox that is strong enough works here.
    """
    global _worker  # noqa: PLW0603  # Celery hands no object of ours from its signals to its tasks
    if _worker is None:
        environment = read_environment()
        platform: Platform = import_module(PORT).open_platform()
        probe = choose_probe(least=platform.least_sandbox, warn=_log.warning)
        _worker = WorkerProcess(
            probe,
            platform=platform,
            slots=slots,
            drain=Drain(grace_s=environment.drain_s),
            starvation=Starvation(slots=slots, starved=environment.starved_share),
        )
    return _worker


class RefusalWatch(bootsteps.StartStopStep):
    """Ends a worker whose token the site refuses, from its parent process."""

    requires = ("celery.worker.components:Timer",)

    def start(self, worker: Any) -> None:  # Any: Celery's worker
        """Look twice a second, which also keeps Celery's event loop turning."""
        worker.timer.call_repeatedly(_WATCH_S, self.look)

    def look(self) -> None:
        """Drain the worker if its token was refused in any of its processes."""
        worker = worker_process()
        if worker.platform.has_refused and not worker.drain.is_asked:
            worker.drain.ask()
            sys.stderr.write("The site refuses this worker token. Ask its staff for a new one.\n")
            state.should_stop = TOKEN_REFUSED  # type: ignore[assignment]  # None, they say


app.steps["worker"].add(RefusalWatch)


@worker_init.connect
def _start_worker(sender: Any = None, **_: object) -> None:  # Any: Celery's worker
    """Prepare the parent process; end it where it would hold keys or cannot isolate bots."""
    slots = getattr(sender, "concurrency", 1)
    try:
        worker = worker_process(slots=slots)
    except (BadEnvironment, LayerMissing) as error:
        sys.exit(f"This worker does not start. {error}")
    worker.adopt_pool_files()
    options: dict[str, Any] = {
        "queue_order_strategy": f"{__name__}:hint_queues",
        "polling_interval": LOOK_S,
    }
    if IS_REMOTE:
        options |= {
            "platform": worker.platform,
            "idle_slots": lambda: slots - len(state.reserved_requests),
            "broker": read_environment().worker_broker,
        }
    app.conf.broker_transport_options = {**app.conf.broker_transport_options, **options}


def _is_held() -> bool:
    """Return whether this worker plays as many matches as it may; for its parent process."""
    playing = sum(request.name == play_matches.name for request in state.reserved_requests)
    return not worker_process().starvation.has_room(playing)


hint_queues: Final = partial(HintQueues, is_held=_is_held)
"""The order of queues, by name: settings of Celery are shown to whoever watches the worker."""


@worker_process_init.connect
def _start_slot(**_: object) -> None:
    worker_process().become_slot(int(getattr(current_process(), "index", 0)))


@worker_shutting_down.connect
def _drain(**_: object) -> None:
    worker_process().drain.ask()


@worker_process_shutdown.connect
def _end_slot(**_: object) -> None:
    worker_process().say_goodbye()
    worker_process().remove_files()
