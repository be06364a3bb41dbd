"""Keep forms that take passwords from being tried by machines."""

from collections.abc import Callable
from functools import wraps

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from pentathlon.accounts.tries import count_try, count_try_for
from pentathlon.web.rates import too_many

View = Callable[[HttpRequest], HttpResponseBase]


def counts_tries(view: View) -> View:
    """Answer 429, before anything is looked at, to who sends the form too often."""

    @wraps(view)
    def answer(request: HttpRequest) -> HttpResponseBase:
        wait_s = _count(request) if request.method == "POST" else 0
        return too_many(request, wait_s) if wait_s else view(request)

    return answer


def _count(request: HttpRequest) -> int:
    return count_try(request) or count_try_for(request.POST.get("username", ""))
