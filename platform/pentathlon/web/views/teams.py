"""The pages of teams: one's own with open invitations, and one for each team."""

from __future__ import annotations

from django import forms
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_http_methods

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
