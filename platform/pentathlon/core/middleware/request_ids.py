"""Gives every request an id, and writes one line to the log when it is answered.

The id is the client's or the proxy's, if it is one that logs can hold. It goes back in
`X-Request-ID`, into problems and onto error pages, so that whoever asks can be answered.
"""

from __future__ import annotations

import re
import time
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Any, Final
from uuid import uuid4

import structlog
from asgiref.sync import iscoroutinefunction
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.decorators import sync_and_async_middleware
from structlog.contextvars import bind_contextvars, clear_contextvars, get_contextvars

HEADER: Final = "X-Request-ID"
_KEY: Final = "request_id"
_ALLOWED: Final = re.compile(r"[A-Za-z0-9._:-]{1,64}")
_SILENT: Final = ("/healthz", "/readyz", "/metrics")
"""Paths that machines ask for again and again: only failures are worth a line."""
_OF_WORKERS: Final = "/api/v1/fleet/"
"""Some twenty requests a match: only refusals and failures are worth a line."""

_log = structlog.stdlib.get_logger(__name__)


def request_id() -> str:
    """Return the id of the request that is being answered, empty outside of one."""
    return str(get_contextvars().get(_KEY, ""))


@sync_and_async_middleware
def identify_requests(
    get_response: Callable[[HttpRequest], Any],  # Any: an answer, or a promise of one
) -> Callable[[HttpRequest], HttpResponseBase | Awaitable[HttpResponseBase]]:
    """Bind the id to all that is logged from here on, and send it back."""

    async def later(request: HttpRequest) -> HttpResponseBase:
        began = _begin(request)
        return _end(request, await get_response(request), began)

    def now(request: HttpRequest) -> HttpResponseBase:
        began = _begin(request)
        return _end(request, get_response(request), began)

    return later if iscoroutinefunction(get_response) else now


def _begin(request: HttpRequest) -> float:
    told = request.headers.get(HEADER, "")
    # Values bound by the request before stay until here, because Django still logs after `_end`.
    clear_contextvars()
    bind_contextvars(**{_KEY: told if _ALLOWED.fullmatch(told) else str(uuid4())})
    return time.monotonic()


def _end(request: HttpRequest, response: HttpResponseBase, began: float) -> HttpResponseBase:
    response.headers[HEADER] = request_id()
    is_failure = response.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR
    is_refusal = response.status_code >= HTTPStatus.BAD_REQUEST
    is_routine = request.path in _SILENT or (
        request.path.startswith(_OF_WORKERS) and not is_refusal
    )
    if is_failure or not is_routine:
        log = _log.warning if is_failure else _log.info
        log(
            "request",
            method=request.method,
            path=request.path,  # without the query, which may hold what people look for
            status=response.status_code,
            duration_ms=round(1000 * (time.monotonic() - began), 1),
            ip=request.META.get("REMOTE_ADDR", ""),
            user=_person(request),
        )
    return response


def _person(request: HttpRequest) -> int | None:
    """Return the person's id if it was looked up before: a line in the log costs no query."""
    person = getattr(request, "_cached_user", None)
    return getattr(person, "pk", None)
