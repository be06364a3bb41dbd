"""The pages on which a tournament is handed over to another organiser."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from pentathlon.accounts.roles import is_staff
from pentathlon.handovers.models import HANDED_OVER_IN
from pentathlon.handovers.services import (
    accept_tournament,
    assign_tournament,
    end_offer,
    offer_of,
    offer_tournament,
)
from pentathlon.web.forms.errors import call_service
from pentathlon.web.forms.handovers import AssignForm, OfferForm
from pentathlon.web.requests import get_tournament, signed_in_user
from pentathlon.web.responses import handle_domain_errors


@login_required
@require_http_methods(["GET", "POST"])
@handle_domain_errors
def tournament_handover(request: HttpRequest, tournament_id: int) -> HttpResponse:
    """Offer a tournament to another organiser, or answer an offer; staff may decide."""
    found = get_tournament(request, tournament_id)
    actor = signed_in_user(request)
    offer = offer_of(found, reader=actor)
    is_own, decides = actor.pk == found.owner_id, is_staff(actor) and actor.pk != found.owner_id
    is_asked = offer is not None and offer.person_id == actor.pk
    if not (is_own or decides or is_asked):
        raise PermissionDenied("Only its organiser and staff hand a tournament over.")
    form = (AssignForm if decides else OfferForm)(request.POST or None)
    if (is_own or decides) and form.is_valid():
        given = {"username": form.cleaned_data.pop("person"), **form.cleaned_data}
        service = assign_tournament if decides else offer_tournament
        done = call_service(form, lambda: service(actor=actor, tournament=found, **given))
        if done is not None:
            said = "is the organiser now" if decides else "has the offer and was notified"
            messages.success(request, f"{given['username']} {said}.")
            return redirect("tournament_handover" if is_own else "tournament", found.pk)
    context = {
        "section": "tournaments",
        "tournament": found,
        "offer": offer,
        "is_own": is_own,
        "is_asked": is_asked,
        "decides": decides,
        "can_be": found.state in HANDED_OVER_IN and not found.is_ladder,
        "form": form,
    }
    return render(request, "web/tournament/handover.html", context)


@login_required
@require_POST
@handle_domain_errors
def handover_accept(request: HttpRequest, tournament_id: int) -> HttpResponse:
    """Take over a tournament that was offered."""
    found = get_tournament(request, tournament_id)
    accept_tournament(actor=signed_in_user(request), tournament=found)
    messages.success(request, f"You organise {found.name} now.")
    return redirect("tournament", found.pk)


@login_required
@require_POST
@handle_domain_errors
def handover_end(request: HttpRequest, tournament_id: int) -> HttpResponse:
    """Take an offer back, or decline it."""
    found = get_tournament(request, tournament_id)
    end_offer(actor=signed_in_user(request), tournament=found)
    messages.success(request, f"{found.name} stays with {found.owner.username}.")
    return redirect("tournament", found.pk)
