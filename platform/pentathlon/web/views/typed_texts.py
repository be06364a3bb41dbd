"""Pages that give back what somebody has typed in vain, so that they can send it after all."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from pentathlon.web.typed_texts import kept_typed, read_typed


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
