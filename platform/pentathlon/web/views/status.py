"""Pages about the state of the platform and its workers."""

from collections.abc import Mapping
from datetime import datetime

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from pentathlon.accounts.roles import is_staff
from pentathlon.core.clock import database_now
from pentathlon.fleet.capabilities import read_fleet
from pentathlon.fleet.models import Worker
from pentathlon.matches.worker_history import read_histories
from pentathlon.operations.status import MOST_COUNTED, count_running, read_status
from pentathlon.trust.models import Quarantine
from pentathlon.web.requests import person, wants_part


@require_safe
def status(request: HttpRequest) -> HttpResponse:
    """Show what runs and waits, and whether the reconciler is alive."""
    part = "web/parts/status.html" if wants_part(request) else "web/status.html"
    found = read_status()
    return render(request, part, {**found, "history": _history(found["spans"])})


@require_safe
def workers(request: HttpRequest) -> HttpResponse:
    """Show the workers: their slots, the languages of their bots, and their sandboxes."""
    alive = list(Worker.objects.alive().with_doubts())
    histories = read_histories([worker.name for worker in alive], now=database_now())
    reader = person(request)
    context = {
        "workers": [(worker, histories[worker.name]) for worker in alive],
        "slots": read_fleet().slots,
        "running": count_running(),
        "most_counted": MOST_COUNTED,
        "in_quarantine": Quarantine.objects.in_force().count()
        if reader is not None and is_staff(reader)
        else 0,
    }
    return render(request, "web/workers.html", context)


def _history(spans: Mapping[datetime, int] | None) -> list[tuple[datetime, int, float]]:
    """Return the start of each span, its matches, and their share of the largest number."""
    most = max([*(spans or {}).values(), 1])
    return [(start, number, number / most) for start, number in (spans or {}).items()]
