"""Answers 503 while the database or another dependency is unavailable or hangs."""

from __future__ import annotations

from http import HTTPStatus
from typing import Final

import structlog
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.template.loader import render_to_string
from django.utils.deprecation import MiddlewareMixin

from pentathlon.core.errors import Damaged, DomainError, Unavailable
from pentathlon.core.middleware.request_ids import request_id
from pentathlon.core.outages import is_outage

RETRY_AFTER_S: Final = 5
CODE: Final = "database_away"
DETAIL: Final = "The database does not answer at the moment. Nothing was changed; try again soon."

_log = structlog.stdlib.get_logger(__name__)


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
