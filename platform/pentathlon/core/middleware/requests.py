"""Middleware that looks at requests first: their methods, bytes, ids and spans, and outages."""

from __future__ import annotations

import re
import time
from collections.abc import Awaitable, Callable, Collection, Iterator
from http import HTTPStatus
from typing import Any, Final
from uuid import uuid4

import structlog
from asgiref.sync import iscoroutinefunction
from django.conf import settings
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.template.loader import render_to_string
from django.utils.decorators import sync_and_async_middleware
from django.utils.deprecation import MiddlewareMixin
from structlog.contextvars import bind_contextvars, clear_contextvars, get_contextvars

from pentathlon.core import tracing
from pentathlon.core.errors import Damaged, DomainError, Unavailable
from pentathlon.core.outages import is_outage
from pentathlon.core.server.protocol import Refused, problem_text
from pentathlon.env import read_environment

_ZERO: Final = "\0"
_REFUSED: Final = Refused(
    HTTPStatus.BAD_REQUEST,
    "zero_byte",
    "The address, a header or a cookie has a zero byte (%00), which no text here has. "
    "Leave it out.",
)
HEADER: Final = "X-Request-ID"
_KEY: Final = "request_id"
_ALLOWED: Final = re.compile(r"[A-Za-z0-9._:-]{1,64}")
_SILENT: Final = ("/healthz", "/readyz", "/metrics")
"""Paths that machines ask for again and again: only failures are worth a line."""
_OF_WORKERS: Final = "/api/v1/fleet/"
"""Some twenty requests a match: only refusals and failures are worth a line."""
_log = structlog.stdlib.get_logger(__name__)
RETRY_AFTER_S: Final = 5
CODE: Final = "database_away"
DETAIL: Final = "The database does not answer at the moment. Nothing was changed; try again soon."
_WORKERS: Final = "/api/v1/fleet/"
"""Only workers may continue traces of their own: nobody else may choose what is kept."""
_LONGEST_STATEMENT: Final = 2000
Answer = Callable[[HttpRequest], HttpResponseBase]


class Methods(MiddlewareMixin):
    """Answers `HEAD` as `GET`, whose body the server keeps, and `OPTIONS` at once."""

    def process_view(
        self,
        request: HttpRequest,
        view: Callable[..., HttpResponseBase],
        args: object,
        kwargs: object,
    ) -> HttpResponse | None:
        """Answer `OPTIONS` of the API; have a view make the same answer to `HEAD` as to `GET`."""
        if request.method == "HEAD":
            request.method = "GET"
        methods = _methods_of(view) if request.method == "OPTIONS" else ()
        if not methods:
            return None
        allow = ", ".join([*sorted(methods), "OPTIONS"])
        return HttpResponse(status=HTTPStatus.NO_CONTENT, headers={"Allow": allow})

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        """Give the request its method back, for those who look at it later."""
        request.method = request.META["REQUEST_METHOD"]
        return response


def _methods_of(view: Any) -> Collection[str]:  # Any: a function with the framework's attributes
    """Return the methods that a view of the API takes besides `OPTIONS`; empty for others."""
    handler = getattr(view, "cls", None)
    if handler is None:
        return ()
    names = getattr(view, "actions", None)
    if names is None:
        names = [name for name in handler.http_method_names if hasattr(handler, name)]
    methods = {name.upper() for name in names} - {"OPTIONS"}
    return methods | {"HEAD"} if "GET" in methods else methods


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


def unavailable(error: BaseException | None) -> HttpResponse:
    """Return a page that says what is away, and that needs no database."""
    detail = error.detail if isinstance(error, Damaged | Unavailable) else DETAIL
    page = render_to_string("503.html", {"detail": detail, "request_id": request_id()})
    return HttpResponse(
        page,
        status=HTTPStatus.SERVICE_UNAVAILABLE,
        headers={"Retry-After": str(RETRY_AFTER_S), "Cache-Control": "no-store"},
    )


class AnswerOutages(MiddlewareMixin):
    """Answers 503 where a view found a server away; the API has an answer of its own."""

    def process_exception(
        self, request: HttpRequest, exception: Exception
    ) -> HttpResponseBase | None:
        """Return the page for an outage or damage, or None for any other error."""
        if not (is_outage(exception) or isinstance(exception, Damaged)):
            return None
        what = exception.code if isinstance(exception, DomainError) else "database away"
        _log.warning(what, path=request.path, reason=str(exception).strip())
        return unavailable(exception)


def trace_requests(get_response: Answer) -> Answer:
    """Make a span of every request, and of its statements to the database if that is set."""
    tracing.start(read_environment(), service="pentathlon-web")

    def answer(request: HttpRequest) -> HttpResponseBase:
        parent = ""
        if request.path.startswith(_WORKERS):
            parent = request.headers.get(tracing.HEADER, "")[:55]
        told = {"http.request.method": str(request.method), "url.path": request.path}
        with tracing.span(str(request.method), parent=parent, kind="server", attributes=told):
            if settings.TRACES_DATABASE:
                with connection.execute_wrapper(_trace_statement):
                    response = get_response(request)
            else:
                response = get_response(request)
            tracing.note(_facts_of(request, response))
            return response

    return answer


def _facts_of(request: HttpRequest, response: HttpResponseBase) -> dict[str, str | int]:
    facts: dict[str, str | int] = {"http.response.status_code": response.status_code}
    if request.resolver_match is not None:
        facts["http.route"] = f"/{request.resolver_match.route}"
    if response.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR:
        facts["error.type"] = str(response.status_code)
    return facts


def _trace_statement(
    execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any
) -> Any:  # Any: as Django has it
    """Make a span of a statement: its text, without the values."""
    told = {"db.system.name": connection.vendor, "db.query.text": sql[:_LONGEST_STATEMENT]}
    with tracing.span("database", kind="client", attributes=told):
        return execute(sql, params, many, context)
