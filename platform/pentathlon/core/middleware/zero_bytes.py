"""Refuses zero bytes, which PostgreSQL stores in no text and compares with none.

The one place for all that is read besides bodies: path, query, headers and cookies. Forms and
serializers refuse them in bodies, at their field.
"""

from collections.abc import Callable, Iterator
from http import HTTPStatus
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.template.loader import render_to_string

from pentathlon.core.server.refusals import Refused, problem_text

_ZERO: Final = "\0"
_REFUSED: Final = Refused(
    HTTPStatus.BAD_REQUEST,
    "zero_byte",
    "The address, a header or a cookie has a zero byte (%00), which no text here has. "
    "Leave it out.",
)


def refuse_zero_bytes(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Answer 400 before anything looks a text with a zero byte up."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        if any(_ZERO in text for text in _texts(request)):
            return _refusal(request)
        return get_response(request)

    return answer


def _texts(request: HttpRequest) -> Iterator[str]:
    yield request.path
    # The decoded query is read again by the view; most requests have none.
    if "%00" in (query := request.META.get("QUERY_STRING", "")) or _ZERO in query:
        yield _ZERO
    yield from (str(text) for name, text in request.META.items() if name.startswith("HTTP_"))
    # Cookies have escapes of their own: "\000".
    yield from request.COOKIES.values()


def _refusal(request: HttpRequest) -> HttpResponse:
    is_api = request.path.startswith("/api/")
    return HttpResponse(
        problem_text(_REFUSED)
        if is_api
        else render_to_string("400.html", {"detail": _REFUSED.detail}),
        status=_REFUSED.status,
        content_type="application/problem+json" if is_api else None,
        headers={"Cache-Control": "no-store"},
    )
