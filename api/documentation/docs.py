from functools import cache
from typing import Any, Final

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularSwaggerSplitView
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from api.documentation.reference import DOCUMENT, groups
from api.protocol.endpoint import CountedView
from api.protocol.requests import check_parameters
from pentathlon.core.caching import FOR_ALL, answer_packed, tag_of
from pentathlon.core.wheel import Wheel, engines_wheel, install_line
from pentathlon_engines.match.protocol import PROTOCOL
from pentathlon_engines.version import __version__

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


class KitSerializer(serializers.Serializer[Wheel]):
    """The package with the `pentathlon` command that this site serves."""

    version = serializers.CharField(help_text="The version of the package.")
    protocol = serializers.IntegerField(help_text="The supported version of the bot protocol.")
    wheel = serializers.CharField(help_text="The address of the wheel.")
    sha256 = serializers.CharField()
    size = serializers.IntegerField(help_text="Bytes.")
    install = serializers.CharField(help_text="The shell command that installs it.")


class KitView(CountedView):
    """The author's kit."""

    @extend_schema(operation_id="kit", responses=KitSerializer, tags=["kit"])
    def get(self, request: Request) -> Response:
        """Describe the package that this site serves, and how to install it."""
        check_parameters(request.query_params, known=())
        wheel = engines_wheel()
        answer: dict[str, Any] = {  # Any: JSON
            "version": __version__,
            "protocol": PROTOCOL,
            "wheel": request.build_absolute_uri(reverse("wheel", args=[wheel.name])),
            "sha256": wheel.sha256,
            "size": len(wheel.data),
            "install": install_line(request._request, extra="cli"),
        }
        return Response(answer)
