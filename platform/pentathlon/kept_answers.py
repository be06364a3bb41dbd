"""Large public answers that are made once: by whatever they follow from, packed as they are sent.

Each process keeps its own, the latest ones. A tag never comes back with another content, because
what it is made of only counts upwards.
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
from django.utils.cache import get_conditional_response, patch_vary_headers

MOST_BYTES: Final = 16 * 1024 * 1024
"""Of all packed answers that a process keeps."""

_ACCEPTS_GZIP: Final = re.compile(r"\bgzip\b")
_LEVEL: Final = 6


class Packed:
    """Contents by their tag; those that nobody has asked for longest make room."""

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


def tag_of(*parts: object) -> str:
    """Return a tag that changes when any of these do."""
    text = "\0".join(str(part) for part in parts)
    return f'"{hashlib.sha256(text.encode()).hexdigest()[:32]}"'


def kept_answer(
    request: HttpRequest, *, tag: str, content_type: str, make: Callable[[], bytes]
) -> HttpResponseBase:
    """Return 304 if the client has what this tag stands for, else the content, made only once.

    Only for what everybody may see.
    """
    answer = get_conditional_response(request, etag=tag)
    if answer is None:
        answer = HttpResponse(content_type=content_type)
        content = _packed.get(tag, make)
        if _ACCEPTS_GZIP.search(request.headers.get("Accept-Encoding", "")):
            answer.content = content
            answer.headers["Content-Encoding"] = "gzip"
            tag = f"W/{tag}"  # the same content in another encoding has the same tag
        else:
            answer.content = gzip.decompress(content)
    patch_vary_headers(answer, ("Accept-Encoding",))
    answer.headers["ETag"] = tag
    answer.headers["Cache-Control"] = "no-cache"
    return answer
