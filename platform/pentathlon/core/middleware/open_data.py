"""Open data: pages of other sites may read what everybody may read, and caches may share it.

`Access-Control-Allow-Origin: *` lets a page of another site read an answer to a request without
cookies: browsers refuse to send cookies to, or to show answers of, a site that says `*`. So such
a page reads what anybody reads without signing in, or what its own token may read; a browser never
adds a token by itself. What changes something is left out, and so is every answer to it. The
package `django-cors-headers` decides by address alone, not by method. Price: pages elsewhere also
read the public part of a site that only a closed network reaches, through their readers' browsers.
"""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import has_vary_header
from django.utils.deprecation import MiddlewareMixin

_OPEN: Final = re.compile(
    r"/api/|/embed/|/kit/|/oembed/?$|/\.well-known/|.*\.(?:csv|json|png|svg|xml)$"
)
_READING: Final = ("GET", "HEAD")
_ASKED: Final = "Access-Control-Request-Method"
_SENT: Final = (
    "Accept",
    "Authorization",
    "If-Match",
    "If-None-Match",
    "If-Range",
    "Last-Event-ID",
    "Range",
    "X-Request-ID",
)
"""Headers that a script of another page may send."""
_SHOWN: Final = (
    "Accept-Ranges",
    "Allow",
    "Content-Disposition",
    "Content-Length",
    "Content-Range",
    "ETag",
    "Link",
    "Location",
    "RateLimit",
    "RateLimit-Policy",
    "Retry-After",
    "X-Request-ID",
)
"""Headers of answers that it may read, besides those that every script may."""
_PREFLIGHT_S: Final = 86_400
_TO_ALL: Final = re.compile(r"\bpublic\b")


class OpenData(MiddlewareMixin):
    """Marks what pages of other sites may read, and what is the same for everybody."""

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        """Answer a browser that asks, before it sends a request of a page of another site."""
        if request.method != "OPTIONS" or _ASKED not in request.headers:
            return None
        if not _is_open(request):
            return None
        return HttpResponse(
            status=HTTPStatus.NO_CONTENT,
            headers={
                "Access-Control-Allow-Methods": ", ".join(_READING),
                "Access-Control-Allow-Headers": ", ".join(_SENT),
                "Access-Control-Max-Age": str(_PREFLIGHT_S),
            },
        )

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        """Mark an answer as readable by all, and one that is the same for all as such."""
        if _is_open(request):
            response.headers["Access-Control-Allow-Origin"] = "*"
            response.headers["Access-Control-Expose-Headers"] = ", ".join(_SHOWN)
        if _TO_ALL.search(response.headers.get("Cache-Control", "")) and not response.cookies:
            _forget_cookies(response)
        return response


def _is_open(request: HttpRequest) -> bool:
    """Return whether a request reads, or asks whether one that reads may be sent."""
    method = request.method
    if method == "OPTIONS":
        method = request.headers.get(_ASKED, "GET")
    return method in _READING and _OPEN.match(request.path) is not None


def _forget_cookies(response: HttpResponseBase) -> None:
    """Say that an answer does not depend on cookies, though its view looked who asks."""
    if not has_vary_header(response, "Cookie"):
        return
    names = [name.strip() for name in response.headers["Vary"].split(",")]
    kept = [name for name in names if name.lower() != "cookie"]
    if kept:
        response.headers["Vary"] = ", ".join(kept)
    else:
        del response.headers["Vary"]
