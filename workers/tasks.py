"""What the queue may ask of a worker. A message is a hint: the database knows what is true."""

from __future__ import annotations

import multiprocessing
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any, Final

import structlog
from billiard.process import current_process
from celery.signals import (
    worker_init,
    worker_process_init,
    worker_process_shutdown,
    worker_shutting_down,
)
from django.conf import settings
from django.db import InterfaceError, OperationalError

from pentathlon.common.schema import wait_for_schema
from pentathlon.matches.needs import Abilities, Announcement, least_sandbox
from pentathlon.matches.publishing import RESEND_LOST_S, RESEND_S, Turn, publish_pending
from pentathlon.matches.services import claim_matches, publish_again
from pentathlon_engines.match.launcher import SandboxLevel
from workers.backoff import Backoff
from workers.celery_app import app
from workers.drain import Drain
from workers.heartbeat import Heartbeat, describe_worker
from workers.play import play_jobs
from workers.runtimes import Runtimes, known_runtimes, start_trials
from workers.sandbox.errors import LayerMissing
from workers.sandbox.levels import choose_probe, level_of
from workers.sandbox.probe import Probe
from workers.sandbox.staging import Staging, close_all
from workers.slot import Slot, open_slot, pin_to_core
from workers.starved_host import HOLD_S, Starvation

LONGEST_TASK_S: Final = 3 * 3600
"""A backstop: a match without progress loses its lease long before."""

_log = structlog.stdlib.get_logger(__name__)
_turn = Turn()
_backoff = Backoff()


@app.task(
    name="play_matches",
    ignore_result=True,
    soft_time_limit=LONGEST_TASK_S,
    time_limit=LONGEST_TASK_S + 60,
    throws=(InterfaceError, OperationalError),
)
def play_matches(match_ids: list[int]) -> None:
    """Play those of these matches that are still to be had; a second delivery costs a query."""
    if drain().is_asked:
        publish_again(match_ids=match_ids)
        return
    try:
        slot = _slot()
    except (LayerMissing, OSError) as error:
        _log.warning("slot not opened", reason=str(error))
        publish_again(match_ids=match_ids)
        _rest(failed=True)
        return
    if starvation().is_held:
        # Others may have time for them; the first slot of each worker always goes on.
        publish_again(match_ids=match_ids)
        drain().wait(HOLD_S)
        return
    jobs = claim_matches(
        match_ids=match_ids, worker=slot.name, abilities=Abilities.of(announced())
    )
    if jobs:
        failed = play_jobs(
            jobs, launcher=slot.launcher, files=slot.files, drain=drain(), host=starvation()
        )
        _rest(failed=failed == len(jobs))


def _rest(*, failed: bool) -> None:
    _backoff.record(failed=failed)
    if _backoff.is_persistent:
        # What is wrong may be this process's own, which begins anew with the next match.
        _close_slot()
    _backoff.wait(drain())


def publish_waiting_matches() -> int:
    """Tell the workers which matches wait; return of how many they were told."""
    resend_after_s = RESEND_S if hints_in_broker() else RESEND_LOST_S
    return publish_pending(publish=_publish, resend_after_s=resend_after_s, turn=_turn)


def _publish(match_ids: Sequence[int]) -> None:
    play_matches.delay(list(match_ids))


def hints_in_broker() -> int:
    """Return how many hints no worker has taken yet."""
    with app.connection_or_acquire() as connection:
        connection.ensure_connection(**app.conf.task_publish_retry_policy)
        queue = app.conf.task_default_queue
        declared = connection.default_channel.queue_declare(queue=queue, durable=True)
        return int(declared.message_count)


@worker_init.connect
def _await_schema(**_: object) -> None:
    wait_for_schema()


@worker_init.connect
def _get_ready(sender: Any = None, **_: object) -> None:  # Any: Celery's worker
    """Refuse to run a worker that cannot shut bots in; what its slots share is made here."""
    try:
        sandbox_probe()
    except LayerMissing as error:
        sys.exit(f"This worker does not start. {error}")
    announced(slots=getattr(sender, "concurrency", 1))
    drain()
    starvation()
    _keep_temporary_files_together()


def _keep_temporary_files_together() -> None:
    """Have the process pool put its files where the next worker sweeps if this one is killed."""
    # The pool asks the standard library for a folder, which remembers it here.
    process = multiprocessing.current_process()
    process._config["tempdir"] = str(_pool_files().folder)  # type: ignore[attr-defined]  # private


@cache
def _pool_files() -> Staging:
    """Return the folder of this worker's process pool; slots inherit the lock on it."""
    return Staging()


@worker_process_init.connect
def _open_slot(**_: object) -> None:
    pin_to_core(_index())
    starvation().slot = _index()
    # First: a slot that cannot be opened now can be later, and must be known then.
    Heartbeat(announced, drain(), host=starvation()).start()
    _slot()
    if _index() == 0 and sandbox_level() is not SandboxLevel.PROCESS:
        start_trials(runtimes(), sandbox_level(), drain())


@worker_shutting_down.connect
def _ask_to_stop(**_: object) -> None:
    drain().ask()


@worker_process_shutdown.connect
def _leave_nothing(**_: object) -> None:
    """Remove the files of a slot, which ends without running what Python runs at the end."""
    close_all()


@cache
def sandbox_probe() -> Probe | None:
    """Return what holds bots on this host, found before child processes are forked."""
    return choose_probe(least=least_sandbox(), warn=_log.warning)


def sandbox_level() -> SandboxLevel:
    """Return the sandbox level of this host."""
    return level_of(sandbox_probe())


@cache
def runtimes() -> Runtimes:
    """Return what all slots of this worker know about the languages it offers."""
    return Runtimes(known_runtimes(sandbox_probe()))


@cache
def drain() -> Drain:
    """Return the request to stop that all slots of this worker see."""
    return Drain(grace_s=settings.DRAIN_S)


@cache
def starvation() -> Starvation:
    """Return what all slots of this worker know about the CPU time that their host has."""
    return Starvation(slots=announced().slots, starved=settings.STARVED_SHARE)


_announced: list[Announcement] = []


def announced(*, slots: int = 1) -> Announcement:
    """Return what this worker says about itself, found before child processes are forked.

    Only its runtimes may become more.
    """
    if not _announced:
        _announced.append(describe_worker(sandbox_probe(), slots=slots))
    return replace(_announced[0], runtimes=runtimes().working())


def _close_slot() -> None:
    if _slot.cache_info().currsize:
        _slot().close()
        _slot.cache_clear()


@cache
def _slot() -> Slot:
    return open_slot(sandbox_level(), name=f"{announced().name}.{_index()}")


def _index() -> int:
    return int(getattr(current_process(), "index", 0))
