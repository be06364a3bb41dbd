"""The page of a tournament's organisers: who they are, who joins them, who takes it over."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from pentathlon.accounts.models import User
from pentathlon.accounts.roles import LONGEST_REASON, is_staff
from pentathlon.tournaments.guards import is_organiser_of
from pentathlon.tournaments.handovers.models import HANDED_OVER_IN, SHARED_IN
from pentathlon.tournaments.handovers.services import (
    accept_tournament,
    assign_tournament,
    end_offer,
    offer_of,
    offer_share,
    offer_tournament,
    organisers_of,
    remove_organiser,
    visible_or_offered,
)
from pentathlon.tournaments.models import Tournament
from pentathlon.web.requests import (
    call_service,
    say,
    signed_in_form,
    signed_in_post,
    signed_in_user,
)


class OfferForm(forms.Form):
    """The person to whom a tournament is offered."""

    person = forms.CharField(
        label="Organiser",
        max_length=150,
        help_text="The username of another organiser who does not play in it.",
        widget=forms.TextInput({"autocomplete": "off", "autocapitalize": "none"}),
    )


class ShareForm(OfferForm):
    """The person who is asked to organise a tournament together with others."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # Any: what Django's forms take
        super().__init__(*args, **kwargs)
        self.fields["person"].label = "Another organiser"


class AssignForm(OfferForm):
    """The new organiser of a tournament, and the reason."""

    reason = forms.CharField(
        label="Why", max_length=LONGEST_REASON, help_text="Everybody can read it."
    )


@signed_in_form
def tournament_handover(request: HttpRequest, tournament_id: int) -> HttpResponse:
    """Ask others to organise a tournament, or answer an offer; staff may decide."""
    actor = signed_in_user(request)
    tournament = _get_tournament(actor, tournament_id)
    offer = offer_of(tournament, reader=actor)
    organises, is_own = is_organiser_of(actor, tournament), actor.pk == tournament.owner_id
    decides = is_staff(actor) and not is_own
    is_asked = offer is not None and offer.person_id == actor.pk
    if not (organises or decides or is_asked):
        raise PermissionDenied("Only its organisers and staff see this page.")
    shares = "share" in request.POST
    share = ShareForm(request.POST if shares else None, prefix="share")
    form = (AssignForm if decides else OfferForm)(None if shares else request.POST or None)
    if organises and share.is_valid():
        name = share.cleaned_data["person"]
        offered = call_service(
            share, lambda: offer_share(actor=actor, tournament=tournament, username=name)
        )
        if offered is not None:
            return say(
                request, f"{name} was asked and notified.", "tournament_handover", tournament.pk
            )
    if (is_own or decides) and form.is_valid():
        given = {"username": form.cleaned_data.pop("person"), **form.cleaned_data}
        service = assign_tournament if decides else offer_tournament
        done = call_service(form, lambda: service(actor=actor, tournament=tournament, **given))
        if done is not None:
            said = "is the organiser now" if decides else "has the offer and was notified"
            messages.success(request, f"{given['username']} {said}.")
            return redirect("tournament_handover" if is_own else "tournament", tournament.pk)
    context = {
        "section": "tournaments",
        "tournament": tournament,
        "offer": offer,
        "organisers": organisers_of(tournament, reader=actor),
        "organises": organises,
        "is_own": is_own,
        "is_asked": is_asked,
        "decides": decides,
        "can_be": tournament.state in HANDED_OVER_IN and not tournament.is_ladder,
        "can_be_shared": tournament.state in SHARED_IN and not tournament.is_ladder,
        "form": form,
        "share": share,
    }
    return render(request, "web/tournament/handover.html", context)


@signed_in_post
def handover_accept(request: HttpRequest, tournament_id: int) -> HttpResponse:
    """Take over a tournament that was offered, or join its organisers."""
    actor = signed_in_user(request)
    tournament = _get_tournament(actor, tournament_id)
    accept_tournament(actor=actor, tournament=tournament)
    return say(request, f"You organise {tournament.name} now.", "tournament", tournament.pk)


@signed_in_post
def handover_end(request: HttpRequest, tournament_id: int) -> HttpResponse:
    """Take an offer back, or decline it."""
    actor = signed_in_user(request)
    tournament = _get_tournament(actor, tournament_id)
    end_offer(actor=actor, tournament=tournament)
    return say(request, f"The offer of {tournament.name} has ended.", "account")


@signed_in_post
def organiser_remove(request: HttpRequest, tournament_id: int) -> HttpResponse:
    """Leave the organisers of a tournament, or take one out."""
    actor = signed_in_user(request)
    tournament = _get_tournament(actor, tournament_id)
    name = request.POST.get("person", "")
    remove_organiser(actor=actor, tournament=tournament, username=name)
    messages.success(request, f"{name} does not organise {tournament.name}.")
    stays = is_organiser_of(actor, tournament) or is_staff(actor)
    return redirect("tournament_handover", tournament.pk) if stays else redirect("account")


def _get_tournament(actor: User, tournament_id: int) -> Tournament:
    found = visible_or_offered(actor).select_related("owner", "pool")
    return get_object_or_404(found, pk=tournament_id)
