"""Middleware that shapes answers: compression, headers, open data."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Any, Final

from asgiref.sync import iscoroutinefunction
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware
from django.utils.cache import has_vary_header
from django.utils.decorators import sync_and_async_middleware
from django.utils.deprecation import MiddlewareMixin

_PACKED: Final = (
    "application/gzip",
    "application/octet-stream",
    "application/vnd.apache.parquet",
    "application/zip",
    "application/zstd",
    "image/png",
)

_IN_PART: Final = (HTTPStatus.PARTIAL_CONTENT, HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE)
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


class Compression(GZipMiddleware):
    """Django's compression, which adds random bytes so that sizes tell no secrets.

    It leaves out streams, packed files and parts of files. Static files are compressed when they
    are collected.
    """

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        """Compress an answer whose client can read it."""
        if response.status_code in _IN_PART:
            return response
        kind = response.headers.get("Content-Type", "").partition(";")[0]
        if kind in _PACKED or kind == "text/event-stream":
            return response
        return super().process_response(request, response)


@sync_and_async_middleware
def content_security_policy(
    get_response: Callable[[HttpRequest], Any],  # Any: an answer, or a promise of one
) -> Callable[[HttpRequest], HttpResponseBase | Awaitable[HttpResponseBase]]:
    """Forbid inline code and foreign hosts, unless a view has set a policy of its own."""
    policy = "; ".join(
        f"{name} {value}" for name, value in settings.CONTENT_SECURITY_POLICY.items()
    )

    async def later(request: HttpRequest) -> HttpResponseBase:
        return _with_policy(await get_response(request), policy)

    def now(request: HttpRequest) -> HttpResponseBase:
        return _with_policy(get_response(request), policy)

    return later if iscoroutinefunction(get_response) else now


def _with_policy(response: HttpResponseBase, policy: str) -> HttpResponseBase:
    response.headers.setdefault("Content-Security-Policy", policy)
    return response


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
