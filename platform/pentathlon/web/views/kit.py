"""The download of the engines with the `pentathlon` command."""

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from pentathlon.web.wheel import engines_wheel

_A_DAY_S = 24 * 3600


@require_safe
def wheel(request: HttpRequest, name: str) -> HttpResponse:
    """Send the wheel of the engines that this site runs."""
    found = engines_wheel()
    if name != found.name:
        raise Http404(f"There is no {name}; this site runs {found.name}.")
    return HttpResponse(
        found.data,
        content_type="application/octet-stream",
        headers={
            "Cache-Control": f"public, max-age={_A_DAY_S}",
            "Content-Disposition": f'attachment; filename="{found.name}"',
            "ETag": f'"{found.sha256}"',
        },
    )
