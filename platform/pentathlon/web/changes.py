"""Tell a reader that a table has changed, without changing it under their eyes."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from pentathlon.web.query import query_number

_STOP_POLLING = 286


def changes_since(request: HttpRequest, now: int) -> HttpResponse:
    """Answer a poll: nothing yet, or once how many results are new since the page was made."""
    seen = query_number(request, "since")
    if seen is None or now <= seen:
        return HttpResponse(status=204)
    return render(request, "web/parts/changed.html", {"new": now - seen}, status=_STOP_POLLING)
