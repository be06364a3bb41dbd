"""The pages where organisers make blocks and rounds void, or have something played again."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse

from pentathlon.accounts.models import User
from pentathlon.matches.models import Match, MatchState
from pentathlon.tournaments.batches import BlockOrder
from pentathlon.tournaments.corrections.orders import Order, give_order, rerun_match, void_match
from pentathlon.tournaments.guards import check_organiser
from pentathlon.tournaments.scheduling.blocks import MOST_REPLAYS
from pentathlon.web.forms.tournaments import OrderForm
from pentathlon.web.requests import (
    call_service,
    get_tournament,
    query_number,
    say,
    signed_in_form,
    signed_in_user,
)
from pentathlon_engines.commentary.words import count


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
