from functools import cache
from typing import Final

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe
from drf_spectacular.views import SpectacularSwaggerSplitView

from api.documentation.reference import DOCUMENT, groups
from pentathlon.core.caching import FOR_ALL, answer_packed, tag_of

# The page of the docs sets styles on its elements; scripts come from files only.
_DOCS_POLICY: Final = (
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "object-src 'none'; base-uri 'none'; frame-ancestors 'none'"
)


@require_safe
def docs(request: HttpRequest) -> HttpResponse:
    """List all operations of the API."""
    return render(request, "api/reference.html", {"groups": groups().values(), "section": "docs"})


@require_safe
def reference(request: HttpRequest, key: str) -> HttpResponse:
    """Describe the operations on one kind of thing, and the shapes that they use."""
    if key not in groups():
        raise Http404
    return render(request, "api/group.html", {"group": groups()[key], "section": "docs"})


@require_safe
def schema(request: HttpRequest) -> HttpResponseBase:
    """Serve the OpenAPI document: the committed file, which a test compares with the code."""
    document, tag = _document()
    return answer_packed(
        request,
        tag=tag,
        content_type="application/vnd.oai.openapi",
        make=lambda: document,
        keep=FOR_ALL,
    )


@cache
def _document() -> tuple[bytes, str]:
    text = DOCUMENT.read_bytes()
    return text, tag_of(text)


class TryView(SpectacularSwaggerSplitView):
    """The OpenAPI document as a page on which every request can be tried."""

    def dispatch(self, request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
        """Set the policy that this page needs."""
        response = super().dispatch(request, *args, **kwargs)
        response.headers["Content-Security-Policy"] = _DOCS_POLICY
        return response
