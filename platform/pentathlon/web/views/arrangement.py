"""Where organisers release results, hold events, and change entries and blocks."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from pentathlon.accounts.models import User
from pentathlon.matches.models import Match, MatchState
from pentathlon.tournaments.batches import BlockOrder
from pentathlon.tournaments.corrections.orders import Order, give_order, rerun_match, void_match
from pentathlon.tournaments.entries.replacements import check_may_replace, replace_entry
from pentathlon.tournaments.estimates.dry_runs import cautions_of_event
from pentathlon.tournaments.guards import check_organiser
from pentathlon.tournaments.models import Event
from pentathlon.tournaments.organising.arrangement import invite_authors
from pentathlon.tournaments.organising.events import create_event, event_table, tournaments_of
from pentathlon.tournaments.results.hidden_results import hidden_lanes, release_results
from pentathlon.tournaments.scheduling.blocks import MOST_REPLAYS
from pentathlon.web.forms.arrangement import EventForm, InviteForm, ReplaceForm
from pentathlon.web.forms.tournaments import OrderForm
from pentathlon.web.requests import (
    call_service,
    cursor_page,
    get_tournament,
    person,
    query_number,
    say,
    signed_in_form,
    signed_in_post,
    signed_in_user,
)
from pentathlon.web.tables import tournament_lines
from pentathlon_engines import GAMES
from pentathlon_engines.commentary.words import count


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


@signed_in_form
def tournament_order(request: HttpRequest, tournament_id: int, kind: BlockOrder) -> HttpResponse:
    """Ask for a reason, then give the order for the block or round in the query."""
    tournament = get_tournament(request, tournament_id)
    actor = signed_in_user(request)
    check_organiser(actor, tournament, to=f"{kind.label} matches of")
    block, round_number = query_number(request, "block"), query_number(request, "round")
    if bool(block) == bool(round_number):
        raise Http404("Name either a block or a round.")
    target = {"number": block} if block else {"round": round_number}
    chosen = tournament.blocks.filter(**target)
    first = get_object_or_404(chosen.order_by("number")[:1])
    back = f"{reverse('tournament_schedule', args=[tournament.pk])}?round={first.round}"
    form = OrderForm(request.POST or None)
    if form.is_valid():
        order = Order(kind=kind, block=block, round=round_number, **form.cleaned_data)
        changed = call_service(
            form, lambda: give_order(actor=actor, tournament=tournament, order=order)
        )
        if changed is not None:
            return say(request, _sentence(kind, changed), back)
    matches = tournament.tournament_matches.filter(block__in=chosen.values("number"))
    context = {
        "section": "tournaments",
        "tournament": tournament,
        "form": form,
        "is_rerun": kind == BlockOrder.RERUN,
        "what": f"block {block}" if block else f"round {round_number}",
        "blocks": chosen.count(),
        "matches": matches.count(),
        "done": matches.filter(match__state=MatchState.DONE).count(),
        "back": back,
    }
    return render(request, "web/tournament/order.html", context)


@signed_in_form
def match_rerun(request: HttpRequest, match_id: int) -> HttpResponse:
    """Ask for a reason, then take the result of one match back and have it played again."""
    actor = signed_in_user(request)
    match = _get_match_of_own(actor, match_id, to="play again a match of")
    form = OrderForm(request.POST or None)
    if form.is_valid():
        again = call_service(
            form, lambda: rerun_match(actor=actor, match=match, **form.cleaned_data)
        )
        if again is not None:
            messages.success(request, f"Match {again.pk} waits to be played in its place.")
            return redirect("match", again.pk)
    context = {"section": "tournaments", "match": match, "form": form}
    return render(request, "web/tournament/match_rerun.html", context)


@signed_in_form
def match_void(request: HttpRequest, match_id: int) -> HttpResponse:
    """Ask for a reason, then make one match void; its block decides whether it is played again."""
    actor = signed_in_user(request)
    match = _get_match_of_own(actor, match_id, to="make a match void of")
    form = OrderForm(request.POST or None)
    if form.is_valid():
        after = call_service(
            form, lambda: void_match(actor=actor, match=match, **form.cleaned_data)
        )
        if after is not None:
            return say(request, _void_sentence(match, after), "match", after.pk)
    block = match.place.tournament.blocks.filter(number=match.place.block).first()
    context = {
        "section": "tournaments",
        "match": match,
        "form": form,
        "replays_left": MOST_REPLAYS - block.replays if block else MOST_REPLAYS,
    }
    return render(request, "web/tournament/match_void.html", context)


def _get_match_of_own(actor: User, match_id: int, *, to: str) -> Match:
    """Return a match of a tournament that the actor organises."""
    seen = Match.objects.visible_to(actor).select_related("place__tournament")
    found = get_object_or_404(seen.exclude(place=None), pk=match_id)
    check_organiser(actor, found.place.tournament, to=to)
    return found


def _void_sentence(match: Match, after: Match) -> str:
    if after.state in {MatchState.PENDING, MatchState.RUNNING}:
        return f"Match {match.pk} is void; match {after.pk} waits to be played in its place."
    return f"Block {match.place.block} is void, and match {match.pk} with it."


def _sentence(kind: BlockOrder, changed: int) -> str:
    if not changed:
        return "Nothing changes: it was ordered before."
    blocks = count(changed, "block")
    wish = "played again" if kind == BlockOrder.RERUN else "made void"
    return f"Ordered: {blocks} to be {wish}."
