"""Limits on how often one client may request pages and send passwords."""

from collections.abc import Callable
from functools import wraps
from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render

from pentathlon.common.throttle import count, count_sign_in, count_sign_in_as, home_of
from pentathlon.server.limits import allowance

View = Callable[[HttpRequest], HttpResponseBase]

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
        wait_s = _count_sign_in(request) if request.method == "POST" else 0
        return too_many(request, wait_s) if wait_s else view(request)

    return answer


def too_many(request: HttpRequest, wait_s: int) -> HttpResponse:
    """Answer 429 with a page that says when to come back."""
    page = render(request, "429.html", {"wait_s": wait_s}, status=HTTPStatus.TOO_MANY_REQUESTS)
    page["Retry-After"] = str(wait_s)
    return page


def _count_sign_in(request: HttpRequest) -> int:
    is_known = request.user.is_authenticated
    account = request.user.get_username() if is_known else request.POST.get("username", "")
    wait_s = count_sign_in(request.META.get("REMOTE_ADDR", ""))
    return wait_s or (count_sign_in_as(account) if account else 0)


def _count(request: HttpRequest) -> int:
    # Pages in frames on other sites read no cookie.
    is_known = not request.path.startswith("/embed/") and request.user.is_authenticated
    who = request.user.pk if is_known else home_of(request.META.get("REMOTE_ADDR", ""))
    own = allowance(request.path).rate_of(request.method or "GET")
    return count("pages", who) or (0 if own is None else count(own, who))
