"""A person's data: all of it as a file, and the deletion of the account."""

from collections.abc import Mapping
from typing import Final

from django import forms
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, JsonResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from pentathlon.accounts.models import User
from pentathlon.accounts.passkeys import LARGEST_ANSWER, begin_check
from pentathlon.accounts.roles import LONGEST_REASON, check_may_manage_person
from pentathlon.accounts.second_factors import has_second_factor
from pentathlon.core.errors import Conflict
from pentathlon.core.texts import host_of
from pentathlon.core.throttle import count_second_factor
from pentathlon.operations.personal_data.deletion import (
    check_can_be_deleted,
    delete_account_of,
    delete_own_account,
)
from pentathlon.operations.personal_data.export import export_account
from pentathlon.web.form_keys import takes_password
from pentathlon.web.requests import (
    call_service,
    person_or_404,
    say,
    signed_in_form,
    signed_in_user,
)
from pentathlon.web.throttle import throttle_sign_ins, too_many

_LONGEST_NAME = 150
_CHALLENGE: Final = "passkey_to_delete"


class DeleteOwnForm(forms.Form):
    """Name and password, typed once more."""

    username = forms.CharField(
        label="Name of the account",
        max_length=_LONGEST_NAME,
        help_text="As shown at the top of your account page.",
        widget=forms.TextInput({"autocomplete": "off", "autocapitalize": "none"}),
    )
    password = forms.CharField(
        strip=False, widget=forms.PasswordInput({"autocomplete": "current-password"})
    )
    code = forms.CharField(
        max_length=20,
        required=False,
        help_text="Six digits of your authenticator app, or one of your recovery codes.",
        widget=forms.TextInput(
            {"autocomplete": "one-time-code", "autocapitalize": "none", "spellcheck": "false"}
        ),
    )
    answer = forms.CharField(max_length=LARGEST_ANSWER, required=False, widget=forms.HiddenInput)
    """The browser's answer for a passkey; a script fills it in."""

    def __init__(
        self, data: Mapping[str, str] | None = None, *, has_second_factor: bool = False
    ) -> None:
        super().__init__(data)
        if not has_second_factor:
            del self.fields["code"], self.fields["answer"]


class DeleteOtherForm(forms.Form):
    """The name of the account, and why staff delete it."""

    username = forms.CharField(
        label="Name of the account",
        max_length=_LONGEST_NAME,
        widget=forms.TextInput({"autocomplete": "off", "autocapitalize": "none"}),
    )
    reason = forms.CharField(max_length=LONGEST_REASON, help_text="Kept in the audit log.")


@never_cache
@login_required
@require_safe
def personal_data(request: HttpRequest) -> HttpResponse:
    """Show what the site holds about the user, with links to its export and deletion."""
    return render(request, "web/data/data.html", {"obstacle": _obstacle(signed_in_user(request))})


@never_cache
@login_required
@require_safe
def export(request: HttpRequest) -> StreamingHttpResponse:
    """Send everything about the user as one zip."""
    user = signed_in_user(request)
    response = StreamingHttpResponse(export_account(user), content_type="application/zip")
    day = f"{timezone.now():%Y-%m-%d}"
    response["Content-Disposition"] = (
        f'attachment; filename="pentathlon-{user.username}-{day}.zip"'
    )
    return response


@takes_password
@throttle_sign_ins
@sensitive_post_parameters("password", "code")
@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def account_delete(request: HttpRequest) -> HttpResponse:
    """Ask for name and password, then delete the user's account for good."""
    user = signed_in_user(request)
    has_factor = has_second_factor(user)
    if request.POST.get("code"):
        wait_s = count_second_factor(user.pk, browser=request.session.session_key)
        if wait_s:
            return too_many(request, wait_s)
    form = DeleteOwnForm(request.POST or None, has_second_factor=has_factor)
    if form.is_valid():
        state = request.session.pop(_CHALLENGE, None) if has_factor else None
        name = call_service(
            form, lambda: delete_own_account(actor=user, state=state, **form.cleaned_data)
        )
        if name is not None:
            logout(request)
            return say(request, f"Your account is deleted. Results stay under {name}.", "home")
    context = {
        "form": form,
        "person": user,
        "own": True,
        "obstacle": _obstacle(user),
        "has_passkey": user.passkeys.filter(host=host_of(request)).exists(),
    }
    return render(request, "web/data/delete.html", context)


@never_cache
@login_required
@require_POST
def account_delete_options(request: HttpRequest) -> HttpResponse:
    """Return the options with which a browser shows a passkey before the account is deleted."""
    options, state = begin_check(host=host_of(request), person=signed_in_user(request))
    request.session[_CHALLENGE] = state
    return JsonResponse(options)


@never_cache
@signed_in_form
def person_delete(request: HttpRequest, username: str) -> HttpResponse:
    """Ask staff for the name and a reason, then delete somebody's account for good."""
    actor = signed_in_user(request)
    found = person_or_404(username)
    check_may_manage_person(actor, found)
    if actor == found:
        raise PermissionDenied("Delete your own account on its own page.")
    form = DeleteOtherForm(request.POST or None)
    if form.is_valid():
        name = call_service(
            form, lambda: delete_account_of(actor=actor, person=found, **form.cleaned_data)
        )
        if name is not None:
            messages.success(request, f"The account is deleted. Results stay under {name}.")
            return redirect("person_roles", name)
    context = {"form": form, "person": found, "own": False, "obstacle": _obstacle(found)}
    return render(request, "web/data/delete.html", context)


def _obstacle(person: User) -> str:
    """Return why the account cannot be deleted now; empty if it can."""
    try:
        check_can_be_deleted(person)
    except Conflict as error:
        return error.detail
    return ""
