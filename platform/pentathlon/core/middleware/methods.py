"""`HEAD` and `OPTIONS`, the same for all views."""

from __future__ import annotations

from collections.abc import Callable, Collection
from http import HTTPStatus
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.deprecation import MiddlewareMixin


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
