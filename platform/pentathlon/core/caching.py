"""Answers that need not be sent or made again: `ETag`, `304`, and large answers kept packed.

Each process keeps its own packed answers, the latest ones. No tag is ever used again for another
content, because tags are made of numbers that only grow.
"""

from __future__ import annotations

import gzip
import hashlib
import re
import threading
from collections import OrderedDict
from collections.abc import Callable
from http import HTTPStatus
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.template.response import SimpleTemplateResponse
from django.utils.cache import get_conditional_response, patch_vary_headers

_ONE_RANGE: Final = re.compile(r"bytes=(?=[0-9]|-[0-9])([0-9]{0,18})-([0-9]{0,18})")
MOST_BYTES: Final = 16 * 1024 * 1024
"""The most bytes of packed answers that a process keeps."""
FOR_ALL: Final = "public, no-cache"
"""Of what is the same for everybody and may change: any cache keeps it, and asks at each use."""
_REVALIDATE: Final = "no-cache"
_IMMUTABLE: Final = "public, max-age=31536000, immutable"
_PRIVATE: Final = "private, no-cache"
_ACCEPTS_GZIP: Final = re.compile(r"\bgzip\b")
_LEVEL: Final = 6


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


def tag_of(*parts: object) -> str:
    """Return a tag that changes when any of these parts does."""
    text = "\0".join(str(part) for part in parts)
    return f'"{hashlib.sha256(text.encode()).hexdigest()[:32]}"'


def answer_if_changed(
    request: HttpRequest, *, tag: str, make: Callable[[], HttpResponse], keep: str = _REVALIDATE
) -> HttpResponseBase:
    """Return 304 if the client has this tag, else the answer of `make`, marked with the tag.

    It is sent in part if the client asks for a part, unless it is only rendered later.
    """
    response = get_conditional_response(request, etag=tag) or make()
    if not isinstance(response, SimpleTemplateResponse):
        response = in_part(request, response, tag=tag)
    response.headers["ETag"] = tag
    response.headers["Cache-Control"] = keep
    return response


def answer_for_ever(
    request: HttpRequest, *parts: object, is_private: bool, make: Callable[[], HttpResponse]
) -> HttpResponseBase:
    """Answer with something that never changes, named by `parts`; 304 if the client has it.

    Only the reader's own browser keeps a copy of private content, and asks again at each use.
    """
    keep = _PRIVATE if is_private else _IMMUTABLE
    return answer_if_changed(request, tag=tag_of(*parts), make=make, keep=keep)


def answer_packed(
    request: HttpRequest,
    *,
    tag: str,
    content_type: str,
    make: Callable[[], bytes],
    keep: str = _REVALIDATE,
) -> HttpResponseBase:
    """Return 304 if the client has this tag, else its content, which is made only once.

    Use it only for content that everybody may see.
    """
    return _answer_packed(
        request,
        tag=tag,
        content_type=content_type,
        packed=lambda: _packed.get(tag, make),
        keep=keep,
    )


def answer_packed_for_ever(
    request: HttpRequest, *, tag: str, content_type: str, packed: Callable[[], bytes]
) -> HttpResponseBase:
    """Answer with something that never changes and that is kept packed by gzip.

    Use it only for content that everybody may see.
    """
    return _answer_packed(
        request, tag=tag, content_type=content_type, packed=packed, keep=_IMMUTABLE
    )


def _answer_packed(
    request: HttpRequest, *, tag: str, content_type: str, packed: Callable[[], bytes], keep: str
) -> HttpResponseBase:
    is_packed = bool(_ACCEPTS_GZIP.search(request.headers.get("Accept-Encoding", "")))
    # Parts are those of the content as it is.
    is_packed = is_packed and not is_in_part(request, tag=tag)

    def answer() -> HttpResponse:
        content = packed()
        if not is_packed:
            return HttpResponse(gzip.decompress(content), content_type=content_type)
        headers = {"Content-Encoding": "gzip"}
        return HttpResponse(content, content_type=content_type, headers=headers)

    # The same content in another encoding has the same tag, so the tag is weak.
    weak = f"W/{tag}" if is_packed else tag
    response = answer_if_changed(request, tag=weak, make=answer, keep=keep)
    patch_vary_headers(response, ("Accept-Encoding",))
    return response


class Packed:
    """Contents by their tags; the least recently used make room for new ones."""

    def __init__(self, most: int = MOST_BYTES) -> None:
        self._most = most
        self._size = 0
        self._contents: OrderedDict[str, bytes] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, tag: str, make: Callable[[], bytes]) -> bytes:
        """Return the packed content with this tag; make it if it is not here."""
        with self._lock:
            if tag in self._contents:
                self._contents.move_to_end(tag)
                return self._contents[tag]
        content = gzip.compress(make(), _LEVEL, mtime=0)
        with self._lock:
            if tag not in self._contents:
                self._contents[tag] = content
                self._size += len(content)
            while self._size > self._most:
                self._size -= len(self._contents.popitem(last=False)[1])
        return content


_packed = Packed()
