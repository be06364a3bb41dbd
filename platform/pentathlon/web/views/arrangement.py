"""The pages where organisers release results and hold events, and where entries change."""

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_http_methods, require_safe

from pentathlon.tournaments.entries.replacements import (
    check_may_replace,
    replace_entry,
)
from pentathlon.tournaments.estimates.dry_runs import cautions_of_event
from pentathlon.tournaments.models import Event
from pentathlon.tournaments.organising.arrangement import invite_authors
from pentathlon.tournaments.organising.events import create_event, event_table, tournaments_of
from pentathlon.tournaments.results.hidden_results import hidden_lanes, release_results
from pentathlon.web.forms.arrangement import EventForm, InviteForm, ReplaceForm
from pentathlon.web.forms.errors import call_service
from pentathlon.web.pagination import cursor_page
from pentathlon.web.requests import (
    get_tournament,
    person,
    query_number,
    signed_in_user,
)
from pentathlon.web.responses import say, signed_in_form, signed_in_post
from pentathlon.web.tables import tournament_lines
from pentathlon_engines import GAMES


@signed_in_post
def tournament_release(request: HttpRequest, tournament_id: int) -> HttpResponse:
    """Show everybody the hidden results of a tournament."""
    tournament = get_tournament(request, tournament_id)
    release_results(actor=signed_in_user(request), tournament=tournament)
    return say(
        request,
        f"Everybody sees the results of {tournament.name} now.",
        "tournament",
        tournament.pk,
    )


@signed_in_post
def tournament_invite(request: HttpRequest, tournament_id: int) -> HttpResponse:
    """Invite authors by their user names."""
    tournament = get_tournament(request, tournament_id)
    form = InviteForm(request.POST)
    names = form.cleaned_data["invited"].split() if form.is_valid() else []
    invite_authors(actor=signed_in_user(request), tournament=tournament, usernames=names)
    return say(request, f"Invited: {', '.join(names) or 'nobody'}.", "tournament", tournament.pk)


@signed_in_form
def tournament_replace(request: HttpRequest, tournament_id: int) -> HttpResponse:
    """Ask which version plays instead of another, then replace it."""
    tournament = get_tournament(request, tournament_id)
    actor = signed_in_user(request)
    entries = tournament.entries.select_related("tournament", "team", "version__bot__owner")
    entry = get_object_or_404(entries, version=query_number(request, "version") or 0)
    check_may_replace(actor, tournament, entry)
    form = ReplaceForm(request.POST or None, entry=entry, actor=actor)
    if form.is_valid():
        values = {"version_id": entry.version_id, **form.cleaned_data}
        done = call_service(
            form, lambda: replace_entry(actor=actor, tournament=tournament, **values)
        )
        if done is not None:
            return say(
                request, f"{done.version.label} plays instead.", "tournament", tournament.pk
            )
    context = {"section": "tournaments", "tournament": tournament, "entry": entry, "form": form}
    return render(request, "web/tournament/replace.html", context)


@require_safe
def events(request: HttpRequest) -> HttpResponse:
    """List events, newest first."""
    page = cursor_page(request, Event.objects.select_related("owner").order_by("-pk"))
    return render(request, "web/events.html", {"section": "tournaments", "page": page})


@require_safe
def event(request: HttpRequest, event_id: int) -> HttpResponse:
    """Show an event: its table over all games, and its tournaments."""
    found = get_object_or_404(Event.objects.select_related("owner"), pk=event_id)
    reader = person(request)
    parts = tournaments_of(found)
    hidden = hidden_lanes(reader)
    context = {
        "section": "tournaments",
        "event": found,
        "titles": [GAMES[part.game].info.title for part in parts],
        "lines": event_table(parts, reader=reader),
        "tournaments": tournament_lines(parts, hidden=hidden),
        "cautions": cautions_of_event(parts),
        "has_hidden": any(part.pk in hidden for part in parts),
    }
    return render(request, "web/event.html", context)


@login_required
@require_http_methods(["GET", "POST"])
def event_new(request: HttpRequest) -> HttpResponse:
    """Create an event and open its tournaments for entries."""
    actor = signed_in_user(request)
    if not actor.is_organiser:
        raise PermissionDenied(
            "Only organisers may create events. Ask the operators of this site."
        )
    form = EventForm(request.POST or None, kind=request.GET.get("format", ""))
    if form.is_valid():
        values = form.cleaned_data
        made = call_service(
            form,
            lambda: create_event(
                actor=actor,
                name=values["name"],
                documents=form.documents,
                arrangement=form.arrangement,
                rated=values["rated"],
                entries_per_author=values["entries_per_author"],
            ),
        )
        if made is not None:
            return say(request, f"{made.name} is open for entries.", "event", made.pk)
    return render(request, "web/event_new.html", {"section": "tournaments", "form": form})
