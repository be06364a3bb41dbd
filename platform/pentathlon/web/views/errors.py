"""Pages for requests that no view can answer."""

import sys

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest, HttpResponseServerError
from django.shortcuts import render
from django.template.loader import render_to_string
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from pentathlon.core.middleware.requests import request_id, unavailable
from pentathlon.core.outages import is_outage
from pentathlon.web.typed_texts import kept_typed, read_typed


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
