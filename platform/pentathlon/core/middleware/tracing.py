"""A span for each request that reaches Django; installed only where spans are wanted."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from typing import Any, Final

from django.conf import settings
from django.db import connection
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from pentathlon.core import tracing
from pentathlon.env import read_environment

_WORKERS: Final = "/api/v1/fleet/"
"""Only workers may continue traces of their own: nobody else may choose what is kept."""
_LONGEST_STATEMENT: Final = 2000

Answer = Callable[[HttpRequest], HttpResponseBase]


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
