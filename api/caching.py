"""Large JSON answers that this process keeps."""

from collections.abc import Callable

from django.http.response import HttpResponseBase
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request

from pentathlon.kept_answers import kept_answer


def answer_kept(request: Request, *, etag: str, make: Callable[[], object]) -> HttpResponseBase:
    """Return what `make` returns as JSON that this process keeps, or 304 if the client has it."""
    return kept_answer(
        request._request,
        tag=etag,
        content_type="application/json",
        make=lambda: bytes(JSONRenderer().render(make())),
    )
