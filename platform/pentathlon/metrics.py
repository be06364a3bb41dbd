"""Health and figures for monitoring: for this machine, or for whoever has the token."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http import HTTPStatus
from ipaddress import ip_address
from math import nan
from typing import Any, Final

from asgiref.sync import iscoroutinefunction
from django.conf import settings
from django.db import DatabaseError, InterfaceError, OperationalError, connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.utils.decorators import sync_and_async_middleware
from django_prometheus.exports import ExportToDjangoView
from prometheus_client import REGISTRY
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from redis import Redis, RedisError

from pentathlon.core.schema import missing_migrations
from pentathlon.core.server.proxies import WAS_FORWARDED
from pentathlon.core.services import silent_loops
from pentathlon.fleet.queues import QUEUES
from pentathlon.operations.gauges import register_gauges

_FRESH_S: Final = 2.0
"""Seconds for which an answer holds, so that frequent requests cost nothing."""
_BROKER_S: Final = 0.5
_OK: Final = "ok"
ADDRESS: Final = "/metrics"
_PREFIX: Final = "Bearer "
_FORWARDED: Final = ("X-Forwarded-For", "X-Real-IP", "Forwarded")
_REFUSAL: Final = (
    "Metrics are for monitoring. Send the token of PENTATHLON_METRICS_TOKEN as "
    '"Authorization: Bearer ..."; a local installation without one answers to this machine only.\n'
)


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


class _BrokerGauges(Collector):
    """What the broker says, asked once for each answer to monitoring."""

    def describe(self) -> list[Metric]:
        """Ask nobody when the gauges are registered."""
        return []

    def collect(self) -> Iterator[Metric]:
        """Tell whether the broker answers, and how many hints wait in it."""
        waiting = hints_waiting()
        text = "1 if the broker answers; else workers ask the site"
        yield GaugeMetricFamily("pentathlon_broker_up", text, value=float(waiting is not None))
        text = "Hints that no worker has taken yet"
        family = GaugeMetricFamily("pentathlon_hints_waiting", text, labels=["queue"])
        for queue in QUEUES:
            family.add_metric([queue], (waiting or {}).get(queue, nan))
        yield family


REGISTRY.register(_BrokerGauges())
register_gauges(REGISTRY)


@sync_and_async_middleware
def answer_metrics(
    get_response: Callable[[HttpRequest], Any],  # Any: an answer, or a promise of one
) -> Callable[[HttpRequest], Any]:
    """Answer `/metrics` before the site's name in the request is checked.

    Monitoring asks each process at its own address, which is none of the site's names.
    """

    def answer(request: HttpRequest) -> HttpResponseBase:
        return metrics(request) if request.path_info == ADDRESS else get_response(request)

    # Only streams are answered asynchronously.
    return get_response if iscoroutinefunction(get_response) else answer


def metrics(request: HttpRequest) -> HttpResponse:
    """Export all figures, or refuse."""
    if _may_read(request):
        answer: HttpResponse = ExportToDjangoView(request)
        return answer
    return HttpResponse(
        _REFUSAL,
        status=HTTPStatus.UNAUTHORIZED,
        content_type="text/plain; charset=utf-8",
        headers={"WWW-Authenticate": "Bearer"},
    )


def _may_read(request: HttpRequest) -> bool:
    if settings.METRICS_TOKEN is not None:
        told = request.headers.get("Authorization", "")
        expected = _PREFIX + settings.METRICS_TOKEN
        return secrets.compare_digest(told.encode(), expected.encode())
    return not settings.PRODUCTION and _is_from_here(request)


def _is_from_here(request: HttpRequest) -> bool:
    # Behind a proxy on this machine, everybody's request would seem to come from here.
    was_forwarded = request.META.get(WAS_FORWARDED, False)
    if was_forwarded or any(name in request.headers for name in _FORWARDED):
        return False
    try:
        return ip_address(request.META.get("REMOTE_ADDR", "")).is_loopback
    except ValueError:
        return False
