"""The author's kit: the package with the `pentathlon` command, and how to install it."""

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from pentathlon.core.caching import FOR_ALL, answer_if_changed
from pentathlon.core.wheel import engines_wheel, wheels
from pentathlon_engines.match.protocol import PROTOCOL
from pentathlon_engines.version import __version__


@require_safe
def kit(request: HttpRequest) -> HttpResponse:
    """Show how to install the kit, and what its commands do."""
    context = {
        "section": "docs",
        "wheel": engines_wheel(),
        "version": __version__,
        "protocol": PROTOCOL,
    }
    return render(request, "web/kit.html", context)


@require_safe
def wheel(request: HttpRequest, name: str) -> HttpResponseBase:
    """Send a wheel of the code that this site runs."""
    found = wheels().get(name)
    if found is None:
        raise Http404(f"There is no {name}; this site has {' and '.join(wheels())}.")

    def send() -> HttpResponse:
        return HttpResponse(
            found.data,
            content_type="application/octet-stream",
            headers={"Content-Disposition": f'attachment; filename="{found.name}"'},
        )

    # After an update, the same name may have other content: an old copy would not fit its hash.
    return answer_if_changed(request, tag=f'"{found.sha256}"', make=send, keep=FOR_ALL)
