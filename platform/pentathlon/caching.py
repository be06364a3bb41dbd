"""Answers that a client may keep: `ETag`, `If-None-Match`, `304`."""

from collections.abc import Callable
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response

from pentathlon.kept_answers import tag_of

_REVALIDATE: Final = "no-cache"
_IMMUTABLE: Final = "public, max-age=31536000, immutable"
_PRIVATE: Final = "private, no-cache"


def answer_if_changed(
    request: HttpRequest, *, tag: str, make: Callable[[], HttpResponse], keep: str = _REVALIDATE
) -> HttpResponseBase:
    """Return 304 if the client has it, else what `make` makes, marked with its tag."""
    response = get_conditional_response(request, etag=tag) or make()
    response.headers["ETag"] = tag
    response.headers["Cache-Control"] = keep
    return response


def answer_for_ever(
    request: HttpRequest, *parts: object, is_private: bool, make: Callable[[], HttpResponse]
) -> HttpResponseBase:
    """Answer with something that never changes, named by `parts`; 304 if the client has it.

    Of a private thing only the reader's own browser keeps a copy, and asks again at each use.
    """
    keep = _PRIVATE if is_private else _IMMUTABLE
    return answer_if_changed(request, tag=tag_of(*parts), make=make, keep=keep)
