"""The choice between the light and the dark theme."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from pentathlon.web.requests import local_address

_A_YEAR_S = 365 * 24 * 3600


@require_POST
def theme(request: HttpRequest) -> HttpResponse:
    """Set the theme in a cookie, or delete it so that the device decides."""
    response = redirect(local_address(request))
    wanted = request.POST.get("theme")
    if wanted in {"light", "dark"}:
        response.set_cookie("theme", wanted, max_age=_A_YEAR_S, samesite="Lax")
    else:
        response.delete_cookie("theme")
    return response
