"""Asks for the password again before anything that lets people in is changed."""

import time
from collections.abc import Callable
from functools import wraps
from typing import Concatenate, Final, ParamSpec
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponse]

CONFIRMED_S: Final = 600
"""How long a password that was typed again counts, within the same session."""
_KEY: Final = "confirmed_at"


def note_confirmed(request: HttpRequest) -> None:
    """Remember that the password was typed again."""
    request.session[_KEY] = time.time()


def is_confirmed(request: HttpRequest) -> bool:
    """Return whether the password was typed again some minutes ago."""
    confirmed_at: float = request.session.get(_KEY, 0)
    return 0 <= time.time() - confirmed_at < CONFIRMED_S


def confirmed_first(view: View[P]) -> View[P]:
    """Ask for the password before the view; a posted form has to be posted again."""

    @wraps(view)
    def answer(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        if is_confirmed(request):
            return view(request, *args, **kwargs)
        back = request.path if request.method == "GET" else reverse("second_factors")
        return redirect(f"{reverse('confirm')}?{urlencode({'next': back})}")

    return answer
