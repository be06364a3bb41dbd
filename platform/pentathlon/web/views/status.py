"""Pages about the state of the platform and its workers."""

from collections.abc import Mapping
from datetime import datetime
from http import HTTPStatus

from django import forms
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from pentathlon.accounts.roles import is_staff
from pentathlon.core.clock import database_now
from pentathlon.fleet.announcements import DEFAULT_SLOTS, MOST_SLOTS, Work
from pentathlon.fleet.capabilities import read_fleet
from pentathlon.fleet.models import Worker
from pentathlon.fleet.tokens import LONGEST_NAME, create_worker_token
from pentathlon.matches.worker_history import read_histories
from pentathlon.operations.status import MOST_COUNTED, count_running, read_status
from pentathlon.trust.models import Quarantine
from pentathlon.web.forms.errors import call_service
from pentathlon.web.requests import person, signed_in_user, wants_part

_WORDS = {
    Work.RATED: "Rated matches: only for machines that you run yourself",
    Work.UNRATED: "Unrated matches, and bots that play with people",
    Work.BUILDS: "Building uploads for validation; rated play builds them again",
    Work.ANALYSES: "Win-chance curves",
}


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


class JoinForm(forms.Form):
    """A new worker token: its name, its slots, and the work with which it is trusted."""

    name = forms.CharField(
        max_length=LONGEST_NAME, help_text="The name of the machine, or of its operator: “lab 3”."
    )
    slots = forms.IntegerField(
        min_value=1,
        max_value=MOST_SLOTS,
        initial=DEFAULT_SLOTS,
        help_text="How many matches it may play at a time; a machine has one slot for each core.",
    )
    work = forms.MultipleChoiceField(
        label="Trusted with",
        choices=[(work.value, words) for work, words in _WORDS.items()],
        initial=[work.value for work in Work if work is not Work.RATED],
        widget=forms.CheckboxSelectMultiple,
    )


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def join_worker(request: HttpRequest) -> HttpResponse:
    """Make a worker token, and show the commands that use it just once."""
    user = signed_in_user(request)
    if not user.is_staff:
        raise PermissionDenied
    form = JoinForm(request.POST or None)
    made = None
    if form.is_valid():
        facts = form.cleaned_data
        made = call_service(form, lambda: create_worker_token(actor=user, **facts))
    token, secret = made or (None, None)
    context = {"form": form, "token": token, "secret": secret, "section": "status"}
    status = HTTPStatus.OK if made is None else HTTPStatus.CREATED
    return render(request, "web/join_worker.html", context, status=status)
