"""Figures for monitoring: for this machine, or for whoever has the token."""

import secrets
from collections.abc import Callable, Iterator
from http import HTTPStatus
from ipaddress import ip_address
from math import nan
from typing import Any, Final

from asgiref.sync import iscoroutinefunction
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.decorators import sync_and_async_middleware
from django_prometheus.exports import ExportToDjangoView
from prometheus_client import REGISTRY
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from pentathlon.core.server.proxies import WAS_FORWARDED
from pentathlon.fleet.queues import QUEUES
from pentathlon.health import hints_waiting
from pentathlon.operations.gauges import register_gauges

ADDRESS: Final = "/metrics"

_PREFIX: Final = "Bearer "
_FORWARDED: Final = ("X-Forwarded-For", "X-Real-IP", "Forwarded")
_REFUSAL: Final = (
    "Metrics are for monitoring. Send the token of PENTATHLON_METRICS_TOKEN as "
    '"Authorization: Bearer ..."; a local installation without one answers to this machine only.\n'
)


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
