"""Response headers that every page carries."""

from collections.abc import Awaitable, Callable
from typing import Any

from asgiref.sync import iscoroutinefunction
from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.decorators import sync_and_async_middleware


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
