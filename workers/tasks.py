"""What the queue may ask of a worker. A message is a hint: the database knows what is true."""

from __future__ import annotations

import sys
from functools import cache
from typing import Final

import structlog
from billiard.process import current_process
from celery.signals import worker_init, worker_process_init
from django.conf import settings
from django.db import InterfaceError, OperationalError

from pentathlon.matches.services import (
    RESEND_LOST_S,
    RESEND_S,
    claim_match,
    publish_pending,
)
from pentathlon_engines.launcher import SandboxLevel
from workers.celery_app import app
from workers.play import play_job
from workers.sandbox.errors import LayerMissing
from workers.sandbox.levels import choose_level
from workers.slot import Slot, open_slot, pin_to_core

LONGEST_MATCH_S: Final = 3 * 3600
"""A backstop: a match without progress loses its lease long before."""

_log = structlog.stdlib.get_logger(__name__)


@app.task(
    name="play_match",
    ignore_result=True,
    soft_time_limit=LONGEST_MATCH_S,
    time_limit=LONGEST_MATCH_S + 60,
    throws=(InterfaceError, OperationalError),
)
def play_match(match_id: int) -> None:
    """Play a match if it is still to be had; a second delivery costs one query."""
    slot = _slot()
    job = claim_match(match_id=match_id, worker=slot.name)
    if job is not None:
        play_job(job, launcher=slot.launcher, files=slot.files)


def publish_waiting_matches() -> int:
    """Tell the workers which matches wait; return how many were told."""
    resend_after_s = RESEND_S if hints_in_broker() else RESEND_LOST_S
    return publish_pending(publish=_publish, resend_after_s=resend_after_s)


def _publish(match_id: int) -> None:
    play_match.delay(match_id)


def hints_in_broker() -> int:
    """Return how many hints no worker has taken yet."""
    with app.connection_or_acquire() as connection:
        connection.ensure_connection(**app.conf.task_publish_retry_policy)
        queue = app.conf.task_default_queue
        declared = connection.default_channel.queue_declare(queue=queue, durable=True)
        return int(declared.message_count)


@worker_init.connect
def _find_sandbox(**_: object) -> None:
    """Refuse to run a worker that cannot shut bots in."""
    try:
        sandbox_level()
    except LayerMissing as error:
        sys.exit(f"This worker does not start. {error}")


@worker_process_init.connect
def _open_slot(**_: object) -> None:
    pin_to_core(getattr(current_process(), "index", 0))
    _slot()


@cache
def sandbox_level() -> SandboxLevel:
    """Return the sandbox level of this host, found before child processes are forked."""
    default = SandboxLevel.NAMESPACES if settings.PRODUCTION else SandboxLevel.LANDLOCK
    least = SandboxLevel(settings.SANDBOX_LEVEL or default)
    return choose_level(least=least, warn=_log.warning)


@cache
def _slot() -> Slot:
    return open_slot(sandbox_level())
