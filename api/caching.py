"""Answers that a client may keep: `ETag`, `If-None-Match`, `304`."""

import hashlib
from collections.abc import Callable

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response
from rest_framework.request import Request

IMMUTABLE = "public, max-age=31536000, immutable"
PRIVATE = "private, no-cache"
REVALIDATE = "no-cache"


def etag_of(*parts: object) -> str:
    """Return a tag that changes when any of these do."""
    text = "\0".join(str(part) for part in parts)
    return f'"{hashlib.sha256(text.encode()).hexdigest()[:32]}"'


def answer_if_changed(
    request: Request, *, etag: str, keep: str, make: Callable[[], HttpResponse]
) -> HttpResponseBase:
    """Return 304 if the client has it, else what `make` makes, marked with its tag."""
    response = get_conditional_response(request._request, etag=etag) or make()
    response.headers["ETag"] = etag
    response.headers["Cache-Control"] = keep
    return response
