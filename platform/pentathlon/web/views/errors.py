"""Pages for requests that no view can answer."""

import sys

from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest, HttpResponseServerError
from django.template.loader import render_to_string

from pentathlon.core.middleware.outages import unavailable
from pentathlon.core.middleware.request_ids import request_id
from pentathlon.core.outages import is_outage


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
