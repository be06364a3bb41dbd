"""Pages about the state of the platform: workers, capacity, the log of receipts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

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
from pentathlon.matches.transparency.models import LogContinuation, LogRoot, SigningKey
from pentathlon.matches.transparency.services import checkpoint_at, demand_signed, log_size
from pentathlon.matches.worker_history import read_histories
from pentathlon.operations.status import MOST_COUNTED, count_running, read_status
from pentathlon.trust.models import Quarantine
from pentathlon.web.requests import call_service, cursor_page, person, signed_in_user, wants_part
from pentathlon_engines import GAMES

FILE: Final = Path(__file__).with_name("capacity.json")
DAY_MS: Final = 86_400_000
WORKER_SHARE: Final = 0.8
"""The share of a core that matches may take; bots are judged by CPU time, so slots need room."""
DATABASE_SHARE: Final = 0.5
"""The share of the database's cores for matches; the rest is for pages, vacuum and peaks."""
DATABASE_BYTES: Final = 2 * 1024**4
"""The size above which a restore takes most of a day."""
_WORDS = {
    Work.RATED: "Rated matches: only for machines that you run yourself",
    Work.UNRATED: "Unrated matches, and bots that play with people",
    Work.BUILDS: "Building uploads for validation; rated play builds them again",
    Work.ANALYSES: "Win-chance curves",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchCost:
    """The measured cost of a match of a game."""

    plies: float
    fixed_ms: float
    """CPU time of workers, broker and services for every match: starts, rows, replay."""
    ply_ms: float
    """CPU time that each ply adds: turn, rules, playing it again."""
    database_ms: float
    """CPU time of PostgreSQL."""
    replay_bytes: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """The demanded matches, and the machines to play them."""

    matches_a_day: int
    plies: int
    cores: int
    """The cores for workers."""
    database_cores: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Capacity:
    """The computed capacity."""

    match_ms: float
    matches_a_day_per_core: float
    matches_a_day: float
    """Matches that all worker cores can play in a day."""
    cores_needed: float
    database_load: float
    """Cores of the database that the matches keep busy."""
    has_enough_workers: bool
    has_enough_database: bool
    database_matches_a_day: float
    """Matches that the database's cores can carry in a day."""
    bytes_a_match: float
    gib_a_million: float
    gib_a_million_without_replays: float
    days_to_full: float
    """Days until one database is too large to be restored in a day."""


@cache
def measured() -> dict[str, Any]:  # Any: JSON
    """Return the measured figures, as they were written."""
    found: dict[str, Any] = json.loads(FILE.read_text())
    return found


def cost_of(game: str) -> MatchCost:
    """Return the measured cost of a match of a game."""
    return MatchCost(**measured()["games"][game])


def compute(cost: MatchCost, workload: Workload, *, row_bytes: float) -> Capacity:
    """Return the capacity of an installation."""
    match_ms = cost.fixed_ms + cost.ply_ms * workload.plies
    per_core = DAY_MS * WORKER_SHARE / match_ms
    replay_bytes = cost.replay_bytes * workload.plies / cost.plies
    bytes_a_match = row_bytes + replay_bytes
    carried = DAY_MS * DATABASE_SHARE * workload.database_cores / cost.database_ms
    return Capacity(
        match_ms=match_ms,
        matches_a_day_per_core=per_core,
        matches_a_day=per_core * workload.cores,
        cores_needed=workload.matches_a_day / per_core,
        database_load=workload.matches_a_day * cost.database_ms / DAY_MS,
        has_enough_workers=workload.matches_a_day <= per_core * workload.cores,
        has_enough_database=workload.matches_a_day <= carried,
        database_matches_a_day=carried,
        bytes_a_match=bytes_a_match,
        gib_a_million=bytes_a_match * 1e6 / 1024**3,
        gib_a_million_without_replays=row_bytes * 1e6 / 1024**3,
        days_to_full=DATABASE_BYTES / (bytes_a_match * workload.matches_a_day),
    )


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


class CapacityForm(forms.Form):
    """A game, how much of it is played, and on what."""

    game = forms.ChoiceField(label="Game")
    matches_a_day = forms.IntegerField(
        label="Matches a day", min_value=1, max_value=1_000_000_000, initial=100_000
    )
    plies = forms.IntegerField(
        label="Plies of a match",
        min_value=1,
        max_value=10_000,
        required=False,
        help_text="If left out, the measured value.",
    )
    cores = forms.IntegerField(
        label="Cores for workers", min_value=1, max_value=100_000, initial=8
    )
    database_cores = forms.IntegerField(
        label="Cores of the database", min_value=1, max_value=1_000, initial=4
    )

    def __init__(self, *args: object, **settings: object) -> None:
        super().__init__(*args, **settings)  # type: ignore[arg-type]  # only handed on
        titles = [(key, game.info.title) for key, game in GAMES.items()]
        self.fields["game"] = forms.ChoiceField(label="Game", choices=titles, initial="tuned")


@require_safe
def capacity(request: HttpRequest) -> HttpResponse:
    """Compute capacity from the measured cost of a match; missing fields have their defaults."""
    usual = {name: field.initial for name, field in CapacityForm().fields.items()}
    asked = {name: request.GET[name] for name in usual if request.GET.get(name)}
    form = CapacityForm({**usual, **asked})
    chosen = form.cleaned_data if form.is_valid() else usual
    game = str(chosen["game"])
    cost, facts = cost_of(game), measured()
    workload = Workload(
        matches_a_day=int(chosen["matches_a_day"]),
        plies=int(chosen["plies"] or cost.plies),
        cores=int(chosen["cores"]),
        database_cores=int(chosen["database_cores"]),
    )
    context: dict[str, Any] = {  # Any: what a template is given
        "section": "docs",
        "form": form,
        "workload": workload,
        "found": compute(cost, workload, row_bytes=facts["row_bytes"]),
        "facts": facts,
        "title": GAMES[game].info.title,
        "rows": [(GAMES[key].info.title, cost_of(key)) for key in facts["games"]],
        "worker_share": WORKER_SHARE,
        "database_share": DATABASE_SHARE,
        "database_bytes": DATABASE_BYTES,
    }
    return render(request, "web/docs/capacity.html", context)


@require_safe
def log(request: HttpRequest) -> HttpResponse:
    """Show the newest checkpoint, the keys, and the root of each day."""
    size, page = log_size(), cursor_page(request, LogRoot.objects.all())
    demand_signed(page.rows)
    context = {
        "section": "docs",
        "size": size,
        "checkpoint": checkpoint_at(size),
        "keys": SigningKey.objects.order_by("-pk"),
        "restores": LogContinuation.objects.order_by("-pk"),
        "page": page,
    }
    return render(request, "web/log.html", context)
