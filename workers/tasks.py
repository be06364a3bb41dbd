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

from pentathlon.matches.services import claim_match
from pentathlon_engines.launcher import SandboxLevel
from workers.celery_app import app
from workers.play import play_job
from workers.slot import NoSandbox, Slot, choose_level, open_slot, pin_to_core

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


def publish(match_id: int) -> None:
    """Tell the workers that a match waits."""
    play_match.delay(match_id)


@worker_init.connect
def _find_sandbox(**_: object) -> None:
    """Refuse to run a worker that cannot shut bots in."""
    try:
        level = _level()
    except NoSandbox as error:
        sys.exit(str(error))
    if level is not SandboxLevel.NAMESPACES:
        _log.warning("weaker sandbox than in production", level=level.value)


@worker_process_init.connect
def _open_slot(**_: object) -> None:
    pin_to_core(getattr(current_process(), "index", 0))
    _slot()


@cache
def _level() -> SandboxLevel:
    default = SandboxLevel.NAMESPACES if settings.PRODUCTION else SandboxLevel.LANDLOCK
    return choose_level(weakest=SandboxLevel(settings.SANDBOX_LEVEL or default))


@cache
def _slot() -> Slot:
    """Return this process's own slot; child processes never share one."""
    return open_slot(_level())
