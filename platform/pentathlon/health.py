"""Whether this process is alive, and whether it can do its work."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from django.conf import settings
from django.db import DatabaseError, InterfaceError, OperationalError, connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from redis import Redis, RedisError

from pentathlon.core.services import missing_migrations, silent_loops
from pentathlon.fleet.queues import QUEUES

_FRESH_S: Final = 2.0
"""Seconds for which an answer holds, so that frequent requests cost nothing."""
_BROKER_S: Final = 0.5
_OK: Final = "ok"


def alive(request: HttpRequest) -> HttpResponse:
    """Answer as long as the process can answer at all, without asking another server."""
    return HttpResponse("ok\n", content_type="text/plain")


def ready(request: HttpRequest) -> JsonResponse:
    """Answer 200 when the database is there and not older than the code, else 503.

    The broker does not count: pages and the API do without it. Nor do the loops that nobody runs,
    but their names are in the answer.
    """
    looked = _looks.latest()
    is_ready = set(looked.checks.values()) == {_OK}
    return JsonResponse(
        {"ready": is_ready, "checks": looked.checks, "silent_loops": looked.silent_loops},
        status=HTTPStatus.OK if is_ready else HTTPStatus.SERVICE_UNAVAILABLE,
        headers={"Cache-Control": "no-store"},
    )


def forget() -> None:
    """Forget the latest answers, so that the next request asks again; for tests."""
    _looks.forget()


def hints_waiting() -> dict[str, float] | None:
    """Return how many hints of each queue no worker has taken; None if the broker is away.

    Without REDIS_URL the broker is a folder: it is there, but nobody counts what is in it.
    """
    if settings.REDIS_URL is None:
        return {}
    try:
        with (
            Redis.from_url(
                settings.REDIS_URL, socket_connect_timeout=_BROKER_S, socket_timeout=_BROKER_S
            ) as client,
            client.pipeline(transaction=False) as asked,
        ):
            for queue in QUEUES:
                asked.llen(queue)
            return dict(zip(QUEUES, map(float, asked.execute()), strict=True))
    except RedisError:
        return None


@dataclass(frozen=True, slots=True)
class _Look:
    """What one look at the database has shown."""

    checks: dict[str, str]
    silent_loops: list[str] | None = None
    """None where the database does not tell."""


@dataclass(slots=True)
class _Looks:
    """The latest look; while one request asks the database, others get the one before."""

    _lock: threading.Lock
    _latest: _Look
    _until: float = 0.0

    def latest(self) -> _Look:
        if time.monotonic() >= self._until and self._lock.acquire(blocking=False):
            try:
                self._latest = _look()
                self._until = time.monotonic() + _FRESH_S
            finally:
                self._lock.release()
        return self._latest

    def forget(self) -> None:
        self._until = 0.0


_looks = _Looks(threading.Lock(), _Look({"database": "not asked yet"}))


def _look() -> _Look:
    try:
        waiting = missing_migrations()
        silent = None if waiting else silent_loops()
    except (InterfaceError, OperationalError):
        return _Look({"database": "does not answer", "migrations": "not known"})
    except DatabaseError as error:
        return _Look({"database": str(error).strip(), "migrations": "not known"})
    finally:
        if not connection.in_atomic_block:
            connection.close()
    if not waiting:
        return _Look({"database": _OK, "migrations": _OK}, silent)
    count = f"{len(waiting)} wait for `manage.py migrate`, the first is {waiting[0]}"
    return _Look({"database": _OK, "migrations": count})
