"""The log of receipts: its state, and the published roots."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from pentathlon.matches.transparency.models import LogContinuation, LogRoot, SigningKey
from pentathlon.matches.transparency.services import checkpoint_at, demand_signed, log_size
from pentathlon.web.pagination import cursor_page


@require_safe
def log(request: HttpRequest) -> HttpResponse:
    """Show the newest checkpoint, the keys, and the root of each day."""
    size, page = log_size(), cursor_page(request, LogRoot.objects.all())
    demand_signed(page.rows)
    context = {
        "section": "docs",
        "size": size,
        "checkpoint": checkpoint_at(size),
        "keys": SigningKey.objects.order_by("-pk"),
        "restores": LogContinuation.objects.order_by("-pk"),
        "page": page,
    }
    return render(request, "web/log.html", context)
