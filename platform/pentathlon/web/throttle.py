"""Limits on how often one client may request pages and send passwords.

A browser in which somebody has signed in gets a signed cookie, so that it is known at the next
sign-in: strangers who try passwords from many addresses use up what all unknown browsers have
together, and the owner of the account signs in nevertheless. Price: from a new browser the owner
waits with the strangers, for an hour at most.
"""

import secrets
from collections.abc import Callable
from functools import wraps
from http import HTTPStatus
from typing import Final

from django.conf import settings
from django.core.signing import BadSignature
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render

from pentathlon.core.server.limits import allowance
from pentathlon.core.throttle import account_key, count, count_sign_in, count_sign_in_as, home_of

View = Callable[[HttpRequest], HttpResponseBase]

_KNOWN: Final = "known_browser"
_KNOWN_S: Final = 180 * 86_400
_NOT_PAGES = ("/api/", "/healthz", "/readyz", "/metrics")
"""Paths that are not limited as pages: the API has its own limits, and monitoring has none."""


def limit_pages(get_response: View) -> View:
    """Answer 429 to a user, or an anonymous address, that asks for too many pages."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        wait_s = 0 if request.path.startswith(_NOT_PAGES) else _count(request)
        return too_many(request, wait_s) if wait_s else get_response(request)

    return answer


def throttle_sign_ins(view: View) -> View:
    """Answer 429, before the view looks at anything, to somebody who sends its form too often."""

    @wraps(view)
    def answer(request: HttpRequest) -> HttpResponseBase:
        if request.method != "POST":
            return view(request)
        if wait_s := _count_sign_in(request):
            return too_many(request, wait_s)
        was_signed_in = request.user.is_authenticated
        response = view(request)
        if request.user.is_authenticated and not was_signed_in:
            remember_browser(request, response)
        return response

    return answer


def known_browser(request: HttpRequest, username: str) -> str | None:
    """Return the name of this browser if this person has signed in with it; else None."""
    if request.user.is_authenticated:
        return request.session.session_key
    try:
        cookie = request.get_signed_cookie(_KNOWN, "", salt=_KNOWN, max_age=_KNOWN_S)
    except BadSignature:
        return None
    account, _, browser = (cookie or "").partition(":")
    return browser if account == account_key(username) else None


def remember_browser(request: HttpRequest, response: HttpResponseBase) -> None:
    """Let this browser be known at the next sign-in of the person who has just signed in."""
    response.set_signed_cookie(
        _KNOWN,
        f"{account_key(request.user.get_username())}:{secrets.token_urlsafe(12)}",
        salt=_KNOWN,
        max_age=_KNOWN_S,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def too_many(request: HttpRequest, wait_s: int) -> HttpResponse:
    """Answer 429 with a page that says when to come back."""
    page = render(request, "429.html", {"wait_s": wait_s}, status=HTTPStatus.TOO_MANY_REQUESTS)
    page["Retry-After"] = str(wait_s)
    return page


def _count_sign_in(request: HttpRequest) -> int:
    is_known = request.user.is_authenticated
    account = request.user.get_username() if is_known else request.POST.get("username", "")
    address = request.META.get("REMOTE_ADDR", "")
    wait_s = count_sign_in(address)
    if wait_s or not account:
        return wait_s
    browser = known_browser(request, account)
    return count_sign_in_as(account, address=address, browser=browser)


def _count(request: HttpRequest) -> int:
    # Pages in frames on other sites read no cookie.
    is_known = not request.path.startswith("/embed/") and request.user.is_authenticated
    who = request.user.pk if is_known else home_of(request.META.get("REMOTE_ADDR", ""))
    own = allowance(request.path).rate_of(request.method or "GET")
    return count("pages", who) or (0 if own is None else count(own, who))
