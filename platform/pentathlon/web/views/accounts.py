"""A person's pages: signing up, and the account with its tokens."""

from http import HTTPStatus
from uuid import UUID

from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from pentathlon.accounts.models import User
from pentathlon.accounts.services import (
    change_settings,
    create_token,
    find_just_registered,
    register,
    revoke_token,
)
from pentathlon.bots.models import TAKEN_OUT, Bot, BotVersion
from pentathlon.core.texts import site_of
from pentathlon.core.throttle import count, count_letter, home_of
from pentathlon.operations.personal_data.quotas import read_quotas
from pentathlon.tournaments.challenges.models import Challenge
from pentathlon.tournaments.handovers.models import Handover
from pentathlon.tournaments.organising.arrangement import open_invitations
from pentathlon.tournaments.team_rows import TeamMember
from pentathlon.web.form_keys import takes_password
from pentathlon.web.forms.accounts import SignUpForm, TokenForm
from pentathlon.web.forms.errors import call_service
from pentathlon.web.requests import local_address, signed_in_user
from pentathlon.web.responses import say, signed_in_post
from pentathlon.web.throttle import throttle_sign_ins, too_many

_STOPPED_SHOWN = 20
_CHALLENGES_SHOWN = 10
_OFFERS_SHOWN = 20


@takes_password
@throttle_sign_ins
@sensitive_post_parameters("password")
@never_cache
@require_http_methods(["GET", "POST"])
def sign_up(request: HttpRequest) -> HttpResponse:
    """Create an account and sign in with it; a form that is sent twice signs in twice."""
    form = SignUpForm(request.POST or None)
    if form.is_valid() and (wait_s := count("sign_ups", home_of(request.META["REMOTE_ADDR"]))):
        return too_many(request, wait_s)
    if request.method == "POST":
        user = _sign_up(request, form) or find_just_registered(**form.typed)
        if user is not None:
            login(request, user, backend="django.contrib.auth.backends.ModelBackend")
            messages.success(
                request,
                f"Welcome, {user.username}. Confirm your address with the letter to {user.email}.",
            )
            return redirect(local_address(request))
    context = {"form": form, "next": request.GET.get("next", "")}
    return render(request, "web/sign_up.html", context)


def _sign_up(request: HttpRequest, form: SignUpForm) -> User | None:
    if not form.is_valid():
        return None
    # Limits letters, so that nobody can have many sent to somebody else's address.
    site = None if count_letter(form.cleaned_data["email"]) else site_of(request)
    return call_service(form, lambda: register(**form.cleaned_data, site=site))


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def account(request: HttpRequest) -> HttpResponse:
    """Show the user's tokens and create new ones; show each secret just once."""
    user = signed_in_user(request)
    form = TokenForm(request.POST or None)
    context: dict[str, object] = {"form": form}
    if form.is_valid():
        made = call_service(form, lambda: create_token(actor=user, **form.cleaned_data))
        if made is not None:
            context = {"token": made[0], "secret": made[1], "form": TokenForm()}
    context["has_bots"] = Bot.objects.owned_by(user).exists()
    context["quotas"] = read_quotas(user)
    context["challenges"] = Challenge.objects.by_author(user).listed()[:_CHALLENGES_SHOWN]
    context["invitations"] = open_invitations(user)
    context["team_invitations"] = TeamMember.objects.invited().filter(person=user).count()
    context["handovers"] = Handover.objects.open_to(user)[:_OFFERS_SHOWN]
    context["tokens"] = user.auth_token_set.order_by("-created")
    stopped = BotVersion.objects.owned_by(user).filter(state__in=TAKEN_OUT)
    context["stopped"] = stopped.select_related("bot").order_by("-stopped_at")[:_STOPPED_SHOWN]
    status = HTTPStatus.CREATED if "secret" in context else HTTPStatus.OK
    return render(request, "web/account.html", context, status=status)


@login_required
@require_POST
def account_settings(request: HttpRequest) -> HttpResponse:
    """Let organisers enter this user's bots, or let none of them."""
    takes = "takes_organiser_entries" in request.POST
    change_settings(actor=signed_in_user(request), takes_organiser_entries=takes)
    who = "Organisers may" if takes else "No organiser may"
    return say(request, f"{who} enter your bots now.", "account")


@signed_in_post
def token_revoke(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """Revoke one of the user's tokens."""
    revoke_token(actor=signed_in_user(request), public_id=public_id)
    return say(request, "The token is revoked.", "account")
