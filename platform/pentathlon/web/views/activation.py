"""The page on which a person confirms the code that a terminal shows."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from pentathlon.accounts.device_logins import answer_device_login, find_device_login
from pentathlon.accounts.models import DeviceLogin, Scope, User
from pentathlon.core import throttle
from pentathlon.web.forms.accounts import CodeForm
from pentathlon.web.forms.errors import call_service
from pentathlon.web.requests import signed_in_user
from pentathlon.web.throttle import too_many

_APPROVE = "approve"


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
