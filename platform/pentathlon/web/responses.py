"""Responses that several views share: polls, and errors of services."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from pentathlon.core.errors import DomainError, NotAllowed, NotFound
from pentathlon.web.requests import query_number

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponse]


def handle_domain_errors(view: View[P]) -> View[P]:
    """Answer 404 and 403 if a service does; show other errors on the page before."""

    @wraps(view)
    def answer(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except NotFound as error:
            raise Http404(error.detail) from error
        except NotAllowed as error:
            raise PermissionDenied(error.detail) from error
        except DomainError as error:
            messages.error(request, error.detail)
            return redirect(request.path.rstrip("/").rpartition("/")[0] + "/")

    return answer


def signed_in_post(view: View[P]) -> View[P]:
    """Let only people who have signed in post here; answer errors of services."""
    return login_required(require_POST(handle_domain_errors(view)))


def signed_in_form(view: View[P]) -> View[P]:
    """Let only people who have signed in see this form and send it; answer errors of services."""
    return login_required(require_http_methods(["GET", "POST"])(handle_domain_errors(view)))


def say(request: HttpRequest, sentence: str, to: str, *args: object) -> HttpResponse:
    """Go to a page that shows what was done."""
    messages.success(request, sentence)
    return redirect(to, *args)


def changes_since(request: HttpRequest, now: int) -> HttpResponse:
    """Answer a poll: 204 until there are new results, then how many."""
    seen = query_number(request, "since")
    if seen is None or now <= seen:
        return HttpResponse(status=204)
    return render(request, "web/parts/changed.html", {"new": now - seen})


def reload_page() -> HttpResponse:
    """Answer a poll: the whole page has changed."""
    return HttpResponse(headers={"X-Reload": "true"})
