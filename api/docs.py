from typing import Final

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView

# The page of the docs sets styles on its elements; scripts come from files only.
_DOCS_POLICY: Final = (
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "object-src 'none'; base-uri 'none'; frame-ancestors 'none'"
)


class SchemaView(SpectacularAPIView):
    """The OpenAPI document. There is one version of it, whatever a query asks for."""

    def _get_version_parameter(self, request: HttpRequest) -> None:
        """Ignore the query: its text would stand in a header of the answer."""


class DocsView(SpectacularSwaggerSplitView):
    """The OpenAPI document as a page on which every request can be tried."""

    def dispatch(self, request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
        """Set the policy that this page needs."""
        response = super().dispatch(request, *args, **kwargs)
        response.headers["Content-Security-Policy"] = _DOCS_POLICY
        return response
