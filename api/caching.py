"""Answers that a client may keep: `ETag`, `If-None-Match`, `304`."""

from collections.abc import Callable

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request

from pentathlon.kept_answers import kept_answer

IMMUTABLE = "public, max-age=31536000, immutable"
PRIVATE = "private, no-cache"
REVALIDATE = "no-cache"


def answer_if_changed(
    request: Request, *, etag: str, keep: str, make: Callable[[], HttpResponse]
) -> HttpResponseBase:
    """Return 304 if the client has it, else what `make` makes, marked with its tag."""
    response = get_conditional_response(request._request, etag=etag) or make()
    response.headers["ETag"] = etag
    response.headers["Cache-Control"] = keep
    return response


def answer_kept(request: Request, *, etag: str, make: Callable[[], object]) -> HttpResponseBase:
    """Return what `make` returns as JSON that this process keeps, or 304 if the client has it."""
    return kept_answer(
        request._request,
        tag=etag,
        content_type="application/json",
        make=lambda: bytes(JSONRenderer().render(make())),
    )
