"""The pages where organisers run tournaments and authors manage their entries."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods

from pentathlon.bots.models import BotVersion
from pentathlon.matches.hidden_lanes import is_repeated
from pentathlon.matches.models import Match, MatchState
from pentathlon.tournaments.corrections.orders import requeue_match
from pentathlon.tournaments.entries.enrolment import enter_tournament, reinstate_entry
from pentathlon.tournaments.entries.withdrawals import (
    disqualify_entry,
    matches_of_entry,
    withdraw_entry,
)
from pentathlon.tournaments.estimates.dry_runs import estimate_of_new
from pentathlon.tournaments.estimates.progress import progress
from pentathlon.tournaments.guards import check_may_manage, check_organiser, check_state
from pentathlon.tournaments.models import Entry, Tournament, TournamentState
from pentathlon.tournaments.organising.changes import change_tournament, setup_of
from pentathlon.tournaments.organising.drafts import (
    create_tournament,
    delete_draft,
    edit_draft,
    open_tournament,
    read_draft,
)
from pentathlon.tournaments.services import (
    cancel_tournament,
    pause_tournament,
    resume_tournament,
    start_tournament,
)
from pentathlon.web.drawing.boards import game_tiles
from pentathlon.web.forms.arrangement import ArrangementForm, SetupForm
from pentathlon.web.forms.tournaments import CancelForm, DisqualifyForm, EntryForm, TournamentForm
from pentathlon.web.requests import (
    call_service,
    get_tournament,
    posted_number,
    query_number,
    say,
    signed_in_form,
    signed_in_post,
    signed_in_user,
)
from pentathlon_engines import GAMES
from pentathlon_engines.tournament.formats.interface import LAWS


@login_required
@require_http_methods(["GET", "POST"])
def tournament_new(request: HttpRequest) -> HttpResponse:
    """Create a tournament and open it for entries."""
    owner = signed_in_user(request)
    if not owner.is_organiser:
        raise PermissionDenied(
            "Only organisers may create tournaments. Ask the operators of this site."
        )
    info = GAMES[_game(request)].info
    kind = request.GET.get("format", "")
    form = TournamentForm(request.POST or None, info=info, actor=owner, kind=kind)
    around = ArrangementForm(request.POST or None)
    context: dict[str, Any] = {"form": form, "around": around, "info": info}  # Any: for templates
    # Both forms are checked, so that all problems are shown at once.
    if all([form.is_valid(), around.is_valid()]):
        create = partial(
            create_tournament,
            actor=owner,
            draft=form.draft(around.arrangement),
            is_draft="draft" in request.POST,
        )
        if "dry_run" in request.POST:
            found = call_service(form, lambda: estimate_of_new(create), further=around)
            context["estimate"] = found
        elif (made := call_service(form, create, further=around)) is not None:
            is_draft = made.state == TournamentState.DRAFT
            how = "a draft that only you see" if is_draft else "open for entries"
            return say(request, f"{made.name} is {how}.", "tournament", made.pk)
    context |= {"section": "tournaments", "tiles": game_tiles()}
    return render(request, "web/tournament/new.html", context)


@signed_in_form
def tournament_edit(request: HttpRequest, tournament_id: int) -> HttpResponse:
    """Edit a draft, unless it has changed since the form was opened."""
    tournament = get_tournament(request, tournament_id)
    actor = signed_in_user(request)
    check_organiser(actor, tournament, to="edit")
    stored = read_draft(tournament)
    info = GAMES[_known_game(request) or tournament.game].info
    kind = request.GET.get("format", "")
    form = TournamentForm(
        request.POST or None,
        info=info,
        actor=actor,
        kind=kind,
        draft=stored,
        is_repeat=is_repeated(tournament.pk),
    )
    around = ArrangementForm(request.POST or None, stored=stored.arrangement)
    revision = request.POST.get("revision", stored.revision)
    if all([form.is_valid(), around.is_valid()]):
        # The form has no field for it, since only replays have one.
        draws = stored.document.draw_probability
        draft = form.draft(around.arrangement)
        draft = replace(draft, document=replace(draft.document, draw_probability=draws))
        done = call_service(
            form,
            lambda: edit_draft(actor=actor, tournament=tournament, draft=draft, revision=revision),
            further=around,
        )
        if done is not None:
            return say(request, f"The draft {done.name} is saved.", "tournament", tournament.pk)
    context = {"section": "tournaments", "form": form, "around": around, "info": info}
    context |= {"tournament": tournament, "revision": revision, "tiles": game_tiles()}
    return render(request, "web/tournament/edit.html", context)


@signed_in_form
def tournament_change(request: HttpRequest, tournament_id: int) -> HttpResponse:
    """Change what no seed rests on, unless it has changed since the form was opened."""
    tournament = get_tournament(request, tournament_id)
    actor = signed_in_user(request)
    check_organiser(actor, tournament, to="change")
    check_state(tournament, TournamentState.OPEN, to="change")
    stored = setup_of(tournament)
    form = SetupForm(request.POST or None, setup=stored)
    revision = request.POST.get("revision", stored.revision)
    if form.is_valid():
        done = call_service(
            form,
            lambda: change_tournament(
                actor=actor, tournament=tournament, setup=form.setup, revision=revision
            ),
        )
        if done is not None:
            messages.success(request, f"{done.name} is saved; everybody in it was told.")
            return redirect("tournament", tournament.pk)
    context = {
        "section": "tournaments",
        "form": form,
        "tournament": tournament,
        "revision": revision,
    }
    return render(request, "web/tournament/change.html", context)


@signed_in_post
def tournament_open(request: HttpRequest, tournament_id: int) -> HttpResponse:
    """Open a draft for entries."""
    return _apply(request, tournament_id, open_tournament, "is open for entries.")


@signed_in_post
def tournament_delete(request: HttpRequest, tournament_id: int) -> HttpResponse:
    """Delete a draft."""
    tournament = get_tournament(request, tournament_id)
    delete_draft(actor=signed_in_user(request), tournament=tournament)
    return say(request, f"The draft {tournament.name} is deleted.", "tournaments")


@signed_in_post
def tournament_start(request: HttpRequest, tournament_id: int) -> HttpResponse:
    """Start a tournament."""
    return _apply(request, tournament_id, start_tournament, "has started.")


@signed_in_post
def tournament_pause(request: HttpRequest, tournament_id: int) -> HttpResponse:
    """Pause a tournament: start none of its matches for now."""
    return _apply(request, tournament_id, pause_tournament, "is paused.")


@signed_in_post
def tournament_resume(request: HttpRequest, tournament_id: int) -> HttpResponse:
    """Resume a tournament after a pause."""
    return _apply(request, tournament_id, resume_tournament, "continues.")


@signed_in_form
def tournament_cancel(request: HttpRequest, tournament_id: int) -> HttpResponse:
    """Ask for the tournament's name, then cancel the tournament."""
    tournament = get_tournament(request, tournament_id)
    check_organiser(signed_in_user(request), tournament, to="cancel")
    form = CancelForm(request.POST or None, name=tournament.name)
    if form.is_valid():
        return _apply(request, tournament_id, cancel_tournament, "is cancelled.")
    context = {"section": "tournaments", "tournament": tournament, "form": form}
    return render(
        request, "web/tournament/cancel.html", {**context, "progress": progress(tournament)}
    )


@signed_in_post
def match_requeue(request: HttpRequest, match_id: int) -> HttpResponse:
    """Queue a void match again."""
    actor = signed_in_user(request)
    found = get_object_or_404(Match.objects.visible_to(actor), pk=match_id)
    requeue_match(actor=actor, match=found)
    return say(request, f"Match {found.pk} waits to be played again.", "match", found.pk)


@signed_in_post
def tournament_enter(request: HttpRequest, tournament_id: int) -> HttpResponse:
    """Enter one of the versions that this user may enter."""
    tournament = get_tournament(request, tournament_id)
    actor = signed_in_user(request)
    form = EntryForm(request.POST, actor=actor, tournament=tournament)
    if form.is_valid():
        entry = enter_tournament(
            actor=actor,
            tournament=tournament,
            version_id=form.cleaned_data["version"],
            team=form.cleaned_data.get("team"),
        )
        messages.success(request, f"{entry.version.label} has entered.")
    else:
        messages.error(request, "Choose a bot that may play this game and has not entered yet.")
    return redirect("tournament", tournament.pk)


@signed_in_form
def tournament_withdraw(request: HttpRequest, tournament_id: int) -> HttpResponse:
    """Withdraw a bot version; ask first if the tournament runs."""
    tournament = get_tournament(request, tournament_id)
    actor = signed_in_user(request)
    if request.method == "POST":
        version_id = posted_number(request, "version")
        withdraw_entry(actor=actor, tournament=tournament, version_id=version_id)
        return say(request, "Withdrawn.", "tournament", tournament.pk)
    entry = _get_entry(request, tournament)
    check_may_manage(actor, tournament, entry, to="withdraw")
    return render(request, "web/tournament/withdraw.html", _entry_context(entry))


@signed_in_form
def tournament_disqualify(request: HttpRequest, tournament_id: int) -> HttpResponse:
    """Ask for a reason, then disqualify a bot version."""
    tournament = get_tournament(request, tournament_id)
    actor = signed_in_user(request)
    check_organiser(actor, tournament, to="disqualify a bot of")
    entry = _get_entry(request, tournament)
    form = DisqualifyForm(request.POST or None)
    if form.is_valid():
        values = {"version_id": entry.version_id, **form.cleaned_data}
        done = call_service(
            form, lambda: disqualify_entry(actor=actor, tournament=tournament, **values)
        )
        if done is not None:
            return say(
                request, f"{entry.version.label} is disqualified.", "tournament", tournament.pk
            )
    return render(
        request, "web/tournament/disqualify.html", {**_entry_context(entry), "form": form}
    )


@signed_in_post
def tournament_reinstate(request: HttpRequest, tournament_id: int) -> HttpResponse:
    """Lift the disqualification of a bot version."""
    tournament = get_tournament(request, tournament_id)
    entry = reinstate_entry(
        actor=signed_in_user(request),
        tournament=tournament,
        version_id=posted_number(request, "version"),
        reason=request.POST.get("reason", ""),
    )
    return say(request, f"{entry.version.label} takes part again.", "tournament", tournament.pk)


def _get_entry(request: HttpRequest, found: Tournament) -> Entry:
    """Return the entry of the version in the query."""
    entries = found.entries.select_related("tournament", "team", "version__bot__owner")
    return get_object_or_404(entries, version=query_number(request, "version") or 0)


def _entry_context(entry: Entry) -> dict[str, Any]:  # Any: what templates take
    own = matches_of_entry(entry)
    return {
        "section": "tournaments",
        "tournament": entry.tournament,
        "entry": entry,
        "done": own.filter(state=MatchState.DONE).count(),
        "left": own.unfinished().count(),
        "law": LAWS.get(entry.tournament.leaving, ""),
    }


def _game(request: HttpRequest) -> str:
    """Return the game in the query, otherwise the first one that a bot may play."""
    playable = (key for key in GAMES if BotVersion.objects.eligible(key).exists())
    return _known_game(request) or next(playable, next(iter(GAMES)))


def _known_game(request: HttpRequest) -> str | None:
    """Return the game in the query; None if it is missing or unknown."""
    wanted = request.GET.get("game", "")
    return wanted if wanted in GAMES else None


def _apply(
    request: HttpRequest, tournament_id: int, action: Callable[..., Tournament], done: str
) -> HttpResponse:
    tournament = get_tournament(request, tournament_id)
    action(actor=signed_in_user(request), tournament=tournament)
    return say(request, f"{tournament.name} {done}", "tournament", tournament.pk)
