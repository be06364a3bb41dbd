"""Keeps what somebody has typed when their session has ended meanwhile.

A form that is posted after that leads to the sign-in, and from there to a page with all that was
typed, which sends it on. The texts wait in the visitor's session, for an hour, and only the person
to whom the form was shown sees them. Files and secrets are not kept.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final
from urllib.parse import urlencode

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse

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
