"""A person's pages: signing up, and the account with its tokens and credentials."""

from http import HTTPStatus
from typing import Final
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login, update_session_auth_hash
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from pentathlon.accounts.letters import can_send_letters, find_by_email_link, find_by_reset_link
from pentathlon.accounts.models import EmailChange, User
from pentathlon.accounts.passwords import (
    ask_for_reset,
    change_password,
    hash_for_link,
    reset_password,
)
from pentathlon.accounts.services import (
    change_settings,
    create_token,
    find_just_registered,
    register,
    revoke_token,
)
from pentathlon.accounts.verification import (
    ask_for_email_change,
    ask_for_verification,
    cancel_email_change,
    confirm_email_change,
)
from pentathlon.bots.models import TAKEN_OUT, Bot, BotVersion
from pentathlon.core.errors import DomainError
from pentathlon.core.texts import site_of
from pentathlon.core.throttle import count, count_letter, home_of
from pentathlon.operations.personal_data.export import read_quotas
from pentathlon.tournaments.challenges.models import Challenge
from pentathlon.tournaments.handovers.models import Handover
from pentathlon.tournaments.organising.arrangement import open_invitations
from pentathlon.tournaments.people_rows import TeamMember
from pentathlon.web.form_keys import prepared, prepared_by, takes_password
from pentathlon.web.forms.accounts import (
    ChangePasswordForm,
    EmailForm,
    ForgottenPasswordForm,
    ResetPasswordForm,
    SignUpForm,
    TokenForm,
)
from pentathlon.web.requests import (
    call_service,
    local_address,
    say,
    signed_in_post,
    signed_in_user,
)
from pentathlon.web.throttle import throttle_sign_ins, too_many

_STOPPED_SHOWN = 20
_CHALLENGES_SHOWN = 10
_OFFERS_SHOWN = 20
_PRINTING: Final = "django.core.mail.backends.console.EmailBackend"


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
                f"Welcome, {user.username}. Confirm your address with the e-mail to {user.email}.",
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


@takes_password
@throttle_sign_ins
@sensitive_post_parameters("old", "new")
@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def password_change(request: HttpRequest) -> HttpResponse:
    """Change the password of the user, who stays signed in here and nowhere else."""
    user = signed_in_user(request)
    form = ChangePasswordForm(request.POST or None, tokens=user.auth_token_set.count())
    if form.is_valid():
        changed = call_service(
            form,
            lambda: change_password(
                actor=user,
                old=form.cleaned_data["old"],
                new=form.cleaned_data["new"],
                revokes_tokens=form.wants_tokens_revoked,
                site=site_of(request),
                session=request.session.session_key,
            ),
        )
        if changed is not None:
            update_session_auth_hash(request, changed)
            messages.success(request, "Your password is changed. Other browsers are signed out.")
            return redirect("account")
    return render(request, "web/credentials/password.html", {"form": form})


@throttle_sign_ins
@never_cache
@require_http_methods(["GET", "POST"])
def password_reset(request: HttpRequest) -> HttpResponse:
    """Ask for the address of an account with a forgotten password; answer the same for any."""
    if not can_send_letters():
        return render(request, "web/credentials/reset.html", {"has_no_mail": True})
    form = ForgottenPasswordForm(request.POST or None)
    if form.is_valid():
        email = form.cleaned_data["email"]
        if wait_s := count_letter(email):
            return too_many(request, wait_s)
        ask_for_reset(email=email, site=site_of(request))
        return redirect(f"{reverse('password_reset')}?sent")
    context = {"form": form, "is_sent": "sent" in request.GET, "prints_mail": _prints_mail()}
    return render(request, "web/credentials/reset.html", context)


def _link_of(request: HttpRequest) -> str:
    return request.POST.get("link", request.GET.get("link", ""))


def _hash_new(request: HttpRequest) -> str | None:
    return hash_for_link(link=_link_of(request), new=request.POST.get("new", ""))


@throttle_sign_ins
@sensitive_post_parameters("new")
@never_cache
@require_http_methods(["GET", "POST"])
@prepared_by(_hash_new, for_visitors=True)
def password_reset_new(request: HttpRequest) -> HttpResponse:
    """Set a new password by the link of a letter."""
    link = _link_of(request)
    try:
        person = find_by_reset_link(link)
    except DomainError as error:
        return _bad_link(request, error, again="password_reset")
    form = ResetPasswordForm(request.POST or None, tokens=person.auth_token_set.count())
    if form.is_valid():
        changed = call_service(
            form,
            lambda: reset_password(
                link=link,
                new=form.cleaned_data["new"],
                hashed=prepared(request),
                revokes_tokens=form.wants_tokens_revoked,
                site=site_of(request),
            ),
        )
        if changed is not None:
            return say(request, "Your new password is set. Sign in with it.", "sign_in")
    context = {"form": form, "link": link, "person": person}
    return render(request, "web/credentials/reset_new.html", context)


@takes_password
@throttle_sign_ins
@sensitive_post_parameters("password")
@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def email_change(request: HttpRequest) -> HttpResponse:
    """Ask for another e-mail address; it changes when a letter to it is answered."""
    user = signed_in_user(request)
    form = EmailForm(request.POST or None)
    if form.is_valid():
        if wait_s := count_letter(form.cleaned_data["email"]) or count_letter(user.username):
            return too_many(request, wait_s)
        change = call_service(
            form,
            lambda: ask_for_email_change(actor=user, site=site_of(request), **form.cleaned_data),
        )
        if change is not None:
            return redirect("email_change")
    waiting = EmailChange.objects.filter(person=user).first()
    context = {"form": form, "waiting": waiting, "prints_mail": _prints_mail()}
    return render(request, "web/credentials/email.html", context)


@never_cache
@signed_in_post
def email_verify(request: HttpRequest) -> HttpResponse:
    """Send the letter again that verifies the user's address."""
    user = signed_in_user(request)
    if wait_s := count_letter(user.email) or count_letter(user.username):
        return too_many(request, wait_s)
    ask_for_verification(actor=user, site=site_of(request))
    return redirect("email_change")


@never_cache
@login_required
@require_POST
def email_cancel(request: HttpRequest) -> HttpResponse:
    """Forget the address that was asked for."""
    cancel_email_change(actor=signed_in_user(request))
    return say(request, "Your e-mail address stays as it is.", "email_change")


@throttle_sign_ins
@never_cache
@require_http_methods(["GET", "POST"])
def email_confirm(request: HttpRequest) -> HttpResponse:
    """Confirm an address by the link of a letter; only a post changes anything."""
    link = request.POST.get("link", request.GET.get("link", ""))
    try:
        if request.method == "POST":
            person = confirm_email_change(link=link, site=site_of(request))
            messages.success(request, f"{person.email} is the address of {person.username} now.")
            return redirect("email_change" if request.user.is_authenticated else "home")
        change = find_by_email_link(link)
    except DomainError as error:
        return _bad_link(request, error, again="email_change")
    return render(request, "web/credentials/email_confirm.html", {"change": change, "link": link})


def _bad_link(request: HttpRequest, error: DomainError, *, again: str) -> HttpResponse:
    context = {"detail": error.detail, "again": again}
    return render(request, "web/credentials/bad_link.html", context, status=400)


def _prints_mail() -> bool:
    return settings.EMAIL_BACKEND == _PRINTING
