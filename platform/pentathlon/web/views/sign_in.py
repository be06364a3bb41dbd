"""Signing in: by a password and a second factor if there is one, or by a passkey; sessions."""

import time
from collections.abc import Sequence
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode
from uuid import UUID

from django.contrib import messages
from django.contrib.auth import login, logout
from django.contrib.auth.decorators import login_required
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.crypto import constant_time_compare
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from pentathlon.accounts.device_logins import answer_device_login, find_device_login
from pentathlon.accounts.models import DeviceLogin, Scope, User
from pentathlon.accounts.passkeys import begin_check, check_passkey
from pentathlon.accounts.second_factors import has_second_factor, take_code
from pentathlon.accounts.sessions import end_other_sessions, end_session, own_sessions
from pentathlon.core import throttle
from pentathlon.core.texts import host_of
from pentathlon.core.throttle import count_second_factor, count_sign_in
from pentathlon.web.form_keys import takes_password
from pentathlon.web.forms.accounts import CodeForm, PasskeyAnswerForm, SecondFactorForm, SignInForm
from pentathlon.web.requests import (
    call_service,
    local_address,
    say,
    signed_in_post,
    signed_in_user,
)
from pentathlon.web.throttle import known_browser, remember_browser, throttle_sign_ins, too_many
from pentathlon_engines.commentary.words import count

# The first that fits counts: browsers also name others, which they want to be taken for.
_BROWSERS: Final = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("Vivaldi/", "Vivaldi"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("Chromium/", "Chromium"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
    ("curl/", "curl"),
    ("python-", "a Python program"),
)
_SYSTEMS: Final = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("CrOS", "ChromeOS"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("Linux", "Linux"),
)
_BACKEND: Final = "django.contrib.auth.backends.ModelBackend"
_WAITING_S: Final = 600
"""How long a right password waits for the second factor."""
# Keys of the session. Each challenge has the key of its purpose, which decides what is checked.
_WAITING: Final = "second_step"
_SIGN_IN_CHALLENGE: Final = "passkey_to_sign_in"
_SECOND_CHALLENGE: Final = "passkey_as_second_factor"
_APPROVE = "approve"


def device_name(user_agent: str) -> str:
    """Return what a person would call it, such as "Firefox on Linux"."""
    browser, system = _first(_BROWSERS, user_agent), _first(_SYSTEMS, user_agent)
    if browser and system:
        return f"{browser} on {system}"
    return browser or system or "An unknown browser"


def _first(names: Sequence[tuple[str, str]], text: str) -> str:
    return next((name for mark, name in names if mark in text), "")


class _PasswordStep(LoginView):
    """Asks for a username and a password; then for a second factor, if there is one."""

    template_name = "web/sign_in.html"
    authentication_form = SignInForm
    redirect_authenticated_user = True

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        """Sign in, or go on to the second factor."""
        person = form.get_user()
        if not has_second_factor(person):
            return super().form_valid(form)
        self.request.session[_WAITING] = {
            "person": person.pk,
            "hash": person.get_session_auth_hash(),
            "until": time.time() + _WAITING_S,
            "next": self.get_success_url(),
        }
        self.request.session.set_expiry(_WAITING_S)
        return redirect("second_factor")


sign_in = takes_password(throttle_sign_ins(_PasswordStep.as_view()))


class _Waiting(NamedTuple):
    """Somebody whose password was right, and where they want to go."""

    person: User
    next: str


@sensitive_post_parameters("code")
@never_cache
@require_http_methods(["GET", "POST"])
def second_factor(request: HttpRequest) -> HttpResponse:
    """Ask for a code or a passkey after the password."""
    waiting = _waiting(request)
    if waiting is None:
        return redirect("sign_in")
    if request.method == "POST" and (wait_s := _count_try(request, waiting.person)):
        return too_many(request, wait_s)
    is_passkey = "answer" in request.POST
    code = SecondFactorForm(None if is_passkey else request.POST or None)
    passkey = PasskeyAnswerForm(request.POST if is_passkey else None)
    if _is_right(request, waiting.person, passkey if is_passkey else code):
        return _sign_in(request, waiting.person, waiting.next)
    context = {
        "form": code,
        "passkey_form": passkey,
        "has_passkey": waiting.person.passkeys.filter(host=host_of(request)).exists(),
        "name": waiting.person.username,
    }
    return render(request, "web/credentials/second_factor.html", context)


@never_cache
@require_POST
def second_factor_options(request: HttpRequest) -> HttpResponse:
    """Return the options with which a browser shows a passkey after the password."""
    waiting = _waiting(request)
    if waiting is None:
        raise PermissionDenied("Sign in with your password first.")
    options, state = begin_check(host=host_of(request), person=waiting.person)
    request.session[_SECOND_CHALLENGE] = state
    return JsonResponse(options)


@never_cache
@require_POST
def passkey_options(request: HttpRequest) -> HttpResponse:
    """Return the options with which a browser signs somebody in by a passkey alone."""
    options, state = begin_check(host=host_of(request))
    request.session[_SIGN_IN_CHALLENGE] = state
    if not request.user.is_authenticated:
        request.session.set_expiry(_WAITING_S)
    return JsonResponse(options)


@throttle_sign_ins
@never_cache
@require_POST
def passkey_sign_in(request: HttpRequest) -> HttpResponse:
    """Sign in by a passkey alone: it is a first and a second factor in one."""
    form = PasskeyAnswerForm(request.POST)
    state = request.session.pop(_SIGN_IN_CHALLENGE, None)
    if form.is_valid():
        answer = form.cleaned_data["answer"]
        person = call_service(form, lambda: check_passkey(answer=answer, state=state))
        if person is not None:
            return _sign_in(request, person, local_address(request))
    context = {
        "form": SignInForm(request),
        "passkey_form": form,
        "next": request.POST.get("next", ""),
    }
    return render(request, "web/sign_in.html", context)


@require_safe
def admin_sign_in(request: HttpRequest) -> HttpResponse:
    """Redirect to the sign-in that asks for second factors; refuse signed-in people."""
    if request.user.is_authenticated:
        raise PermissionDenied("Only for the staff of this site.")
    back = request.GET.get("next") or reverse("admin:index")
    return redirect(f"{reverse('sign_in')}?{urlencode({'next': back})}")


def _waiting(request: HttpRequest) -> _Waiting | None:
    kept: dict[str, Any] | None = request.session.get(_WAITING)  # Any: JSON
    if kept is None or kept["until"] < time.time():
        return None
    person = User.objects.filter(pk=kept["person"], is_active=True).first()
    # A password that was changed meanwhile no longer counts as the first factor.
    if person is None or not constant_time_compare(kept["hash"], person.get_session_auth_hash()):
        return None
    return _Waiting(person, kept["next"])


def _count_try(request: HttpRequest, person: User) -> int:
    address = request.META.get("REMOTE_ADDR", "")
    browser = known_browser(request, person.get_username())
    return count_sign_in(address) or count_second_factor(person.pk, browser=browser)


def _is_right(
    request: HttpRequest, person: User, form: PasskeyAnswerForm | SecondFactorForm
) -> bool:
    """Return whether the second factor is right; if not, add the reason to the form."""
    if not form.is_valid():
        return False
    given = form.cleaned_data
    if isinstance(form, SecondFactorForm):
        return call_service(form, lambda: _taken(person, given["code"])) is not None
    state = request.session.pop(_SECOND_CHALLENGE, None)
    shown = call_service(
        form, lambda: check_passkey(answer=given["answer"], state=state, person=person)
    )
    return shown is not None


def _taken(person: User, code: str) -> bool:
    take_code(person=person, code=code)
    return True


def _sign_in(request: HttpRequest, person: User, address: str) -> HttpResponse:
    request.session.pop(_WAITING, None)
    login(request, person, backend=_BACKEND)
    request.session.set_expiry(None)
    response = redirect(address)
    remember_browser(request, response)
    return response


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def activate(request: HttpRequest) -> HttpResponse:
    """Ask for a code, show the terminal that waits with it, and take the person's answer."""
    user = signed_in_user(request)
    given = request.POST if request.method == "POST" else request.GET
    form = CodeForm(given if "code" in given else None)
    if not form.is_bound:
        return render(request, "web/activate.html", {"form": form})
    # Somebody who could try any number of codes would find another person's terminal.
    if wait_s := throttle.count("typed_codes", user.pk):
        return too_many(request, wait_s)
    if not form.is_valid():
        return render(request, "web/activate.html", {"form": form})
    answer = request.POST.get("answer")
    if answer is None:
        return _show(request, form)
    return _answer(request, form, user, approves=answer == _APPROVE)


def _show(request: HttpRequest, form: CodeForm) -> HttpResponse:
    login = call_service(form, lambda: find_device_login(form.cleaned_data["code"]))
    return render(request, "web/activate.html", _context(form, login))


def _answer(request: HttpRequest, form: CodeForm, user: User, *, approves: bool) -> HttpResponse:
    code = form.cleaned_data["code"]
    login = call_service(
        form, lambda: answer_device_login(actor=user, user_code=code, approves=approves)
    )
    if login is None:
        return render(request, "web/activate.html", _context(form, None))
    if approves:
        messages.success(
            request, f"“{login.name}” is signed in. Go back to your terminal; this page is done."
        )
    else:
        messages.success(request, f"“{login.name}” was denied. It got no token.")
    return redirect("account")


def _context(form: CodeForm, login: DeviceLogin | None) -> dict[str, object]:
    labels = [] if login is None else [Scope(scope).label for scope in login.scopes]
    return {"form": form, "login": login, "labels": labels}


@never_cache
@login_required
@require_safe
def sessions(request: HttpRequest) -> HttpResponse:
    """List the user's sessions, this one first."""
    key = request.session.session_key
    rows = [
        {"session": row, "device": device_name(row.user_agent), "is_this": row.pk == key}
        for row in own_sessions(signed_in_user(request))
    ]
    rows.sort(key=lambda row: not row["is_this"])
    return render(request, "web/credentials/sessions.html", {"rows": rows})


@signed_in_post
def session_end(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """End one of the user's sessions; ending this one signs out."""
    user, key = signed_in_user(request), request.session.session_key
    is_this = user.browser_sessions.filter(pk=key, public_id=public_id).exists()
    end_session(actor=user, public_id=public_id)
    if is_this:
        logout(request)
        return redirect("sign_in")
    return say(request, "The session is ended: that browser is signed out.", "sessions")


@login_required
@require_POST
def sessions_end_others(request: HttpRequest) -> HttpResponse:
    """End all of the user's sessions but this one."""
    user = signed_in_user(request)
    ended = end_other_sessions(actor=user, kept=request.session.session_key)
    verb = "is" if ended == 1 else "are"
    return say(request, f"{count(ended, 'other session')} {verb} ended.", "sessions")
