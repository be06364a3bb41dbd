"""One shape for every answer that is not a success: `application/problem+json`.

`code` is stable and for machines, `detail` is a sentence for people, and `errors` names each wrong
field as `attr`.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from http import HTTPStatus
from typing import Any, Final, cast

from django.core.exceptions import BadRequest, RequestDataTooBig, SuspiciousOperation
from django.http.multipartparser import MultiPartParserError
from drf_standardized_errors.formatter import ExceptionFormatter
from drf_standardized_errors.handler import ExceptionHandler
from drf_standardized_errors.types import Error, ErrorResponse
from rest_framework import exceptions
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.settings import api_settings
from rest_framework.views import APIView

from api.protocol.negotiation import UnknownBody
from api.protocol.requests import flatten_errors
from pentathlon.core.errors import (
    Conflict,
    Damaged,
    DomainError,
    InvalidInput,
    NotAllowed,
    NotFound,
    Problems,
    TooLarge,
    Unavailable,
)
from pentathlon.core.middleware import requests
from pentathlon.core.middleware.requests import request_id
from pentathlon.core.outages import is_outage

MEDIA_TYPE: Final = "application/problem+json"
_STATUSES: Final = (
    (TooLarge, HTTPStatus.REQUEST_ENTITY_TOO_LARGE),
    (InvalidInput, HTTPStatus.BAD_REQUEST),
    (NotAllowed, HTTPStatus.FORBIDDEN),
    (NotFound, HTTPStatus.NOT_FOUND),
    (Conflict, HTTPStatus.CONFLICT),
    (Damaged, HTTPStatus.SERVICE_UNAVAILABLE),
    (Unavailable, HTTPStatus.SERVICE_UNAVAILABLE),
)


class Refusal(exceptions.APIException):
    """The error of a service, with its HTTP status."""

    def __init__(self, error: DomainError) -> None:
        super().__init__(error.detail, code=error.code)
        self.field = error.field
        self.problems = error.errors if isinstance(error, Problems) else (error,)
        self.status_code = next(
            (status for kind, status in _STATUSES if isinstance(error, kind)),
            HTTPStatus.BAD_REQUEST,
        )
        if isinstance(error, Unavailable):
            self.wait = requests.RETRY_AFTER_S


class DatabaseAway(exceptions.APIException):
    """The database is away, hangs, or was busy for too long."""

    status_code = HTTPStatus.SERVICE_UNAVAILABLE
    default_code = requests.CODE
    default_detail = requests.DETAIL
    wait = requests.RETRY_AFTER_S


HELP: Final = {
    "missing_scope": "/docs/api/#tokens",
    "bad_archive": "/docs/bots/",
    "bad_manifest": "/docs/bots/",
    "challenge_quota": "/docs/limits/#challenges",
    "desk_record_quota": "/docs/limits/#desk-records",
    "friendly_quota": "/docs/limits/#challenges",
    "quota_exceeded": "/docs/limits/#bots",
    "too_many_challenges": "/docs/limits/#challenges",
    "too_many_friendlies": "/docs/limits/#challenges",
    "too_many_streams": "/docs/limits/#live-streams",
    "too_many_validating": "/docs/limits/#bots",
}
"""Help pages by code; other codes get one by status, or the reference of the operation."""
HELP_BY_STATUS: Final[Mapping[int, str]] = {
    HTTPStatus.UNAUTHORIZED: "/docs/api/#tokens",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "/docs/limits/",
    HTTPStatus.TOO_MANY_REQUESTS: "/docs/api/#rates",
    HTTPStatus.SERVICE_UNAVAILABLE: "/docs/api/#sending-again",
}
_GROUP: Final = re.compile(r"/api/v1/([a-z-]+)/")


@dataclass
class RefusedValue(Error):
    """One error of a service, with the allowed values."""

    pointer: str | None = None
    allowed: Any = None  # Any: JSON


def pointer_of(error: DomainError) -> str | None:
    """Return the JSON pointer to the part of the request that caused an error."""
    return _pointer(error.field) if error.pointer is None else error.pointer


def _pointer(attr: str | None) -> str | None:
    if attr == api_settings.NON_FIELD_ERRORS_KEY:
        return ""
    return None if attr is None else "/" + attr.replace(".", "/")


class ProblemHandler(ExceptionHandler):
    """Converts an exception of a view into a problem."""

    def convert_known_exceptions(self, exc: Exception) -> Exception:
        """Translate the exceptions of services and Django."""
        if isinstance(exc, DomainError):
            return Refusal(exc)
        if is_outage(exc):
            return DatabaseAway()
        if type(exc) is exceptions.UnsupportedMediaType:
            return UnknownBody(self._sent(), allowed=self._read_here())
        if isinstance(exc, RequestDataTooBig):
            return Refusal(TooLarge("The form has too much text outside of files."))
        if isinstance(exc, SuspiciousOperation | BadRequest | MultiPartParserError):
            return exceptions.ParseError("The request cannot be read.")
        return super().convert_known_exceptions(exc)

    def _sent(self) -> str:
        request = cast(Request, self.context["request"])
        return request.content_type or "none"

    def _read_here(self) -> list[str]:
        parsers = self.context["view"].get_parsers()
        return [parser.media_type or "" for parser in parsers]

    def get_response(self, exc: exceptions.APIException, data: dict[str, Any]) -> Response:
        """Mark the answer as a problem."""
        response = super().get_response(exc, data)
        response.content_type = MEDIA_TYPE
        return response


class ProblemFormatter(ExceptionFormatter):
    """Writes the members of a problem."""

    def get_errors(self) -> list[Error]:
        """Name the field that a service complained about."""
        problems: Sequence[DomainError] = ()
        if isinstance(self.exc, Refusal):
            problems = self.exc.problems
        elif isinstance(self.exc.detail, dict):
            problems = [*flatten_errors(self.exc.detail)]
        if problems:
            return [
                RefusedValue(each.code, each.detail, each.field, pointer_of(each), each.allowed)
                for each in problems
            ]
        allowed = getattr(self.exc, "allowed", None)
        return [
            RefusedValue(each.code, each.detail, each.attr, _pointer(each.attr), allowed)
            for each in super().get_errors()
        ]

    def format_error_response(self, error_response: ErrorResponse) -> dict[str, Any]:
        """Return the body of the answer."""
        errors = error_response.errors
        is_form = isinstance(self.exc, exceptions.ValidationError)
        is_many = isinstance(self.exc, Refusal) and len(errors) > 1
        code = "validation_error" if is_form else Problems.code if is_many else errors[0].code
        return {
            "type": f"urn:pentathlon:problem:{code}",
            "title": HTTPStatus(self.exc.status_code).phrase,
            "status": int(self.exc.status_code),
            "code": code,
            "detail": " ".join(_sentence(error) for error in errors),
            "errors": [asdict(error) for error in errors],
            "help": self._help(code),
            "request_id": request_id(),
        }

    def _help(self, code: str) -> str:
        """Return the address of a help page."""
        request = cast(Request, self.context["request"])
        page = HELP.get(code) or HELP_BY_STATUS.get(self.exc.status_code)
        if page is None:
            is_known = not isinstance(self.context["view"], UnknownAddress)
            group = _GROUP.match(request.path) if is_known else None
            page = f"/api/docs/{group[1]}/" if group else "/api/docs/"
        return request.build_absolute_uri(page)


def problem_of(error: DomainError | exceptions.APIException, *, view: APIView) -> dict[str, Any]:
    """Return the problem with which this view would answer this error."""
    refusal = Refusal(error) if isinstance(error, DomainError) else error
    # Any: the formatter reads only these two.
    context: Any = {"view": view, "request": view.request}
    problem: dict[str, Any] = ProblemFormatter(refusal, context, error).run()
    return problem


class UnknownAddress(APIView):
    """Answers 404 at every unknown address below `/api/`."""

    schema = None
    permission_classes = ()
    throttle_classes = ()

    def initial(self, request: Request, *args: object, **kwargs: object) -> None:
        """Refuse every method."""
        hint = "" if request.path.endswith("/") else " Addresses end with a slash."
        raise NotFound(f"There is nothing at {request.path}.{hint} /api/docs/ shows what exists.")


def _sentence(error: Error) -> str:
    return f"{error.attr}: {error.detail}" if error.attr else error.detail
