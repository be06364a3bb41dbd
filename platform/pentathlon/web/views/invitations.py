"""Invitations: teams that people join, and tournaments that are handed over."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods

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
from pentathlon.tournaments.people_rows import LONGEST_TEAM, Team, TeamMember
from pentathlon.tournaments.teams.services import (
    accept_invitation,
    create_team,
    decline_invitation,
    delete_team,
    invite_member,
    leave_team,
    remove_member,
)
from pentathlon.web.requests import (
    call_service,
    handle_domain_errors,
    person,
    say,
    signed_in_form,
    signed_in_post,
    signed_in_user,
)


class TeamForm(forms.Form):
    """The name of a new team."""

    name = forms.CharField(
        max_length=LONGEST_TEAM, help_text="Everybody sees it. No other team may have it."
    )


class InviteMemberForm(forms.Form):
    """The person whom a team invites."""

    person = forms.CharField(
        label="User name",
        max_length=150,
        help_text="Nobody else sees the invitation before they accept.",
        widget=forms.TextInput({"autocapitalize": "none"}),
    )


@login_required
@require_http_methods(["GET", "POST"])
def teams(request: HttpRequest) -> HttpResponse:
    """Show this user's teams and invitations, and found new teams."""
    user = signed_in_user(request)
    form = TeamForm(request.POST or None)
    if form.is_valid():
        made = call_service(form, lambda: create_team(actor=user, **form.cleaned_data))
        if made is not None:
            return say(request, f"{made.name} is founded. Invite its members.", "team", made.pk)
    invitations = TeamMember.objects.invited().filter(person=user)
    context = {
        "form": form,
        "teams": Team.objects.listed().joined_by(user),
        "invitations": invitations.select_related("team__owner").order_by("-pk"),
    }
    return render(request, "web/teams/list.html", context)


@require_http_methods(["GET", "POST"])
@handle_domain_errors
def team(request: HttpRequest, team_id: int) -> HttpResponse:
    """Show a team and its members; its owner invites others here."""
    found = get_object_or_404(Team.objects.listed(), pk=team_id)
    reader = person(request)
    if request.method == "POST" and reader is None:
        return redirect_to_login(request.get_full_path())
    form = InviteMemberForm(request.POST or None)
    if form.is_valid():
        user = signed_in_user(request)
        username = form.cleaned_data["person"]
        done = call_service(form, lambda: invite_member(actor=user, team=found, username=username))
        if done is not None:
            return say(request, f"{done.person.username} is invited.", "team", found.pk)
    is_member = reader is not None and reader.pk in {row.person_id for row in found.members}
    invited = found.memberships.invited().select_related("person")
    context = {
        "team": found,
        "form": form,
        "is_member": is_member,
        "is_owner": is_member and reader is not None and reader.pk == found.owner_id,
        "invited": invited.order_by("person__username") if is_member else (),
        "is_invited": reader is not None and invited.filter(person=reader).exists(),
        "has_entered": found.entries.exists(),
    }
    return render(request, "web/teams/team.html", context)


@signed_in_post
def team_accept(request: HttpRequest, team_id: int) -> HttpResponse:
    """Accept an invitation."""
    found = get_object_or_404(Team, pk=team_id)
    accept_invitation(actor=signed_in_user(request), team=found)
    return say(request, f"You are a member of {found.name}.", "team", found.pk)


@signed_in_post
def team_decline(request: HttpRequest, team_id: int) -> HttpResponse:
    """Decline an invitation."""
    found = get_object_or_404(Team, pk=team_id)
    decline_invitation(actor=signed_in_user(request), team=found)
    return say(request, f"You have declined the invitation of {found.name}.", "teams")


@signed_in_post
def team_leave(request: HttpRequest, team_id: int) -> HttpResponse:
    """Leave a team."""
    found = get_object_or_404(Team, pk=team_id)
    leave_team(actor=signed_in_user(request), team=found)
    return say(request, f"You have left {found.name}.", "teams")


@signed_in_post
def team_remove(request: HttpRequest, team_id: int) -> HttpResponse:
    """Remove a member from a team, or take an invitation back."""
    found = get_object_or_404(Team, pk=team_id)
    username = request.POST.get("person", "")
    remove_member(actor=signed_in_user(request), team=found, username=username)
    return say(request, f"{username} is no longer in {found.name}, nor invited.", "team", found.pk)


@signed_in_post
def team_delete(request: HttpRequest, team_id: int) -> HttpResponse:
    """Delete a team that has never entered a bot."""
    found = get_object_or_404(Team, pk=team_id)
    delete_team(actor=signed_in_user(request), team=found)
    return say(request, f"{found.name} is deleted.", "teams")


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
