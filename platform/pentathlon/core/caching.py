"""Answers that need not be sent or made again: `ETag`, `304`, and large answers kept packed.

Each process keeps its own packed answers, the latest ones. No tag is ever used again for another
content, because tags are made of numbers that only grow.
"""

import gzip
import hashlib
import re
import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.template.response import SimpleTemplateResponse
from django.utils.cache import get_conditional_response, patch_vary_headers

from pentathlon.core.byte_ranges import in_part, is_in_part

MOST_BYTES: Final = 16 * 1024 * 1024
"""The most bytes of packed answers that a process keeps."""

FOR_ALL: Final = "public, no-cache"
"""Of what is the same for everybody and may change: any cache keeps it, and asks at each use."""
_REVALIDATE: Final = "no-cache"
_IMMUTABLE: Final = "public, max-age=31536000, immutable"
_PRIVATE: Final = "private, no-cache"
_ACCEPTS_GZIP: Final = re.compile(r"\bgzip\b")
_LEVEL: Final = 6


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
