"""Parts of answers, by which a client resumes a download or reads only what it needs.

One range is answered; several at once are answered with the whole, as RFC 9110 allows.
"""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import Final

from django.http import HttpRequest, HttpResponse

_ONE_RANGE: Final = re.compile(r"bytes=(?=[0-9]|-[0-9])([0-9]{0,18})-([0-9]{0,18})")


def is_in_part(request: HttpRequest, *, tag: str = "") -> bool:
    """Return whether a part is asked for, of a content that still has this tag.

    Only a strong tag proves that the parts fit together.
    """
    if request.method != "GET" or not _ONE_RANGE.fullmatch(request.headers.get("Range", "")):
        return False
    known = request.headers.get("If-Range")
    return known is None or (known == tag and known.startswith('"'))


def in_part(request: HttpRequest, response: HttpResponse, *, tag: str = "") -> HttpResponse:
    """Return the part that is asked for, or the whole answer, marked as one that has parts."""
    if response.status_code != HTTPStatus.OK:
        return response
    response.headers["Accept-Ranges"] = "bytes"
    if not is_in_part(request, tag=tag):
        return response
    size = len(response.content)
    bounds = _bounds(request.headers["Range"], size)
    if bounds is None:
        response.status_code = HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE
        response.content = b""
        response.headers["Content-Range"] = f"bytes */{size}"
        return response
    first, last = bounds
    response.status_code = HTTPStatus.PARTIAL_CONTENT
    response.headers["Content-Range"] = f"bytes {first}-{last}/{size}"
    response.content = response.content[first : last + 1]
    return response


def _bounds(wanted: str, size: int) -> tuple[int, int] | None:
    """Return the first and the last byte of a range; None if no byte of the content is in it."""
    match = _ONE_RANGE.fullmatch(wanted)
    start, end = match.groups() if match else ("", "")
    if not start:
        length = min(int(end or 0), size)
        return (size - length, size - 1) if length else None
    first, last = int(start), min(int(end or size), size - 1)
    return (first, last) if first <= last else None
