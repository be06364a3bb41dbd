"""Pages for requests that no view can answer."""

from django.http import HttpRequest, HttpResponseBadRequest
from django.template.loader import render_to_string


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponseBadRequest:
    """Answer a request that cannot be read.

    Django's own handler asks for a CSRF token, which reads the same form again and fails again:
    this page looks at nothing of the request.
    """
    return HttpResponseBadRequest(render_to_string("400.html"))
