"""Pages for requests that no view can answer; what was typed outlives the session."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final
from urllib.parse import urlencode

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest, HttpResponseServerError
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from pentathlon.core.middleware.requests import request_id, unavailable
from pentathlon.core.outages import is_outage
from pentathlon.web.form_keys import FIELD, shown_to
from pentathlon.web.requests import person

SECRETS: Final = frozenset({"password", "old", "new", "code", "answer", "link"})
"""Fields that are never kept nor shown again."""
_KEPT_S: Final = 3600
_LONG: Final = 60
"""Characters from which a text gets several lines."""
_KEY: Final = "typed"
_OURS: Final = ("csrfmiddlewaretoken", FIELD)

View = Callable[[HttpRequest], HttpResponseBase]


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedField:
    """One text of a form as it was typed."""

    name: str
    text: str

    @property
    def label(self) -> str:
        """The name in words."""
        return self.name.replace("_", " ").capitalize()

    @property
    def is_long(self) -> bool:
        """Whether the text needs several lines."""
        return len(self.text) > _LONG or "\n" in self.text


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedForm:
    """A form that was posted in vain: where to, and with which texts."""

    path: str
    fields: list[TypedField]
    files: list[str]
    """The fields whose files have to be chosen again."""


def keep_typed(get_response: View) -> View:
    """Keep what a form holds that has led to the sign-in; forget it once it is sent again."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        # The API reads its bodies itself, or refuses them unread; it has no forms.
        if request.path.startswith("/api/"):
            return response
        if request.method == "POST" and FIELD in request.POST:
            if person(request) is None and _leads_to_sign_in(response):
                return _keep(request)
            if request.session.get(_KEY, {}).get("path") == request.get_full_path():
                del request.session[_KEY]
        return response

    return answer


def kept_typed(request: HttpRequest) -> TypedForm | None:
    """Return the form that this person has typed before they signed in again, if any."""
    kept = request.session.get(_KEY)
    reader = person(request)
    if kept is None or reader is None or kept["until"] < time.time():
        return None
    if kept["reader"] != reader.pk:
        return None
    fields = [TypedField(name=name, text=text) for name, text in kept["fields"]]
    return TypedForm(path=kept["path"], fields=fields, files=kept["files"])


def read_typed(request: HttpRequest) -> TypedForm:
    """Return what a posted form holds, without secrets."""
    names = [name for name in request.POST if name not in SECRETS and name not in _OURS]
    fields = [
        TypedField(name=name, text=text) for name in names for text in request.POST.getlist(name)
    ]
    return TypedForm(path=request.get_full_path(), fields=fields, files=[*request.FILES])


def _leads_to_sign_in(response: HttpResponseBase) -> bool:
    return response.status_code == HTTPStatus.FOUND and response["Location"].startswith(
        f"{settings.LOGIN_URL}?next="
    )


def _keep(request: HttpRequest) -> HttpResponseBase:
    typed = read_typed(request)
    request.session[_KEY] = {
        "path": typed.path,
        "fields": [(field.name, field.text) for field in typed.fields],
        "files": typed.files,
        "reader": shown_to(request.POST[FIELD]),
        "until": time.time() + _KEPT_S,
    }
    request.session.set_expiry(_KEPT_S)
    messages.info(request, "Your session has ended. Sign in: what you typed is kept.")
    return redirect(f"{reverse('sign_in')}?{urlencode({'next': reverse('typed')})}")


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponseBadRequest:
    """Answer a request that cannot be read.

    Django's own handler asks for a CSRF token, which reads the same form again and fails again:
    this page reads nothing of the request.
    """
    return HttpResponseBadRequest(render_to_string("400.html"))


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer a request that failed for an unforeseen reason.

    Errors of middleware come here, too: sessions are read from the database.
    """
    error = sys.exc_info()[1]
    if is_outage(error):
        return unavailable(error)
    return HttpResponseServerError(render_to_string("500.html", {"request_id": request_id()}))


@never_cache
@login_required
@require_safe
def typed(request: HttpRequest) -> HttpResponse:
    """Show what was typed before the session ended, with a button that sends it."""
    return render(request, "web/typed.html", {"typed": kept_typed(request)})


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Give back the texts of a form that was too old, to be sent again.

    A page of another site could have sent it: such a form is shown without a button, so that
    nobody sends on what they have not typed.
    """
    is_ours = request.headers.get("Origin") == f"{request.scheme}://{request.get_host()}"
    context = {"typed": read_typed(request), "is_ours": is_ours}
    return render(request, "403_csrf.html", context, status=403)
