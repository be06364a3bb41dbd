"""Keep forms that take passwords from being tried by machines."""

from collections.abc import Callable
from functools import wraps
from http import HTTPStatus

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render

from pentathlon.accounts.tries import count_try

View = Callable[[HttpRequest], HttpResponseBase]


def counts_tries(view: View) -> View:
    """Answer 429, before anything is looked at, to an address that sends the form too often."""

    @wraps(view)
    def answer(request: HttpRequest) -> HttpResponseBase:
        wait_s = count_try(request) if request.method == "POST" else 0
        if not wait_s:
            return view(request)
        page = render(request, "429.html", {"wait_s": wait_s}, status=HTTPStatus.TOO_MANY_REQUESTS)
        page["Retry-After"] = str(wait_s)
        return page

    return answer
