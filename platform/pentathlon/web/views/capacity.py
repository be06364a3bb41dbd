"""The page that computes how many matches an installation can play."""

from __future__ import annotations

from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from pentathlon.web.docs.capacity import (
    DATABASE_BYTES,
    DATABASE_SHARE,
    WORKER_SHARE,
    Workload,
    compute,
    cost_of,
    measured,
)
from pentathlon_engines import GAMES


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
