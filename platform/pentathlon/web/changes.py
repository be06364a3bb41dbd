"""Tell a reader that a table has changed, without changing it under their eyes."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

_STOP_POLLING = 286


def changes_since(request: HttpRequest, now: int) -> HttpResponse:
    """Answer a poll: nothing yet, or once how many results are new since the page was made."""
    since = request.GET.get("since", "")
    seen = int(since) if since.isascii() and since.isdigit() and len(since) < 12 else now
    if now <= seen:
        return HttpResponse(status=204)
    return render(request, "web/parts/changed.html", {"new": now - seen}, status=_STOP_POLLING)
