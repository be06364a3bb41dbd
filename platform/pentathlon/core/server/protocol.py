"""The shapes of ASGI and WSGI that the server uses, and what it refuses by itself."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from html import escape
from http import HTTPStatus
from typing import Any, Final

Scope = dict[str, Any]  # Any: the protocol's own shape
Message = Mapping[str, Any]  # Any: the protocol's own shape
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Headers = list[tuple[bytes, bytes]]

Environ = dict[str, Any]  # Any: the protocol's own shape
WsgiApplication = Callable[[Environ, Callable[..., Any]], Iterable[bytes]]


_GZIP: Final = re.compile(rb"\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))")
_API = "/api/"
_POLICY = "default-src 'none'; frame-ancestors 'none'"
_READABLE = (
    ("Access-Control-Allow-Origin", "*"),
    ("Access-Control-Expose-Headers", "Retry-After"),
)
"""A refusal is about nobody's data, and a page of another site should know why it gets none."""


def accepts_gzip(scope: Scope) -> bool:
    """Return whether an answer may be packed by gzip."""
    accepted = b",".join(value for name, value in scope["headers"] if name == b"accept-encoding")
    return _GZIP.search(accepted) is not None


async def wait_until_gone(receive: Receive) -> None:
    """Return when the client has closed the connection."""
    while (await receive())["type"] != "http.disconnect":
        pass


class Refused(Exception):
    """A request that the server does not hand on to the site."""

    def __init__(
        self,
        status: HTTPStatus,
        code: str,
        detail: str,
        *,
        headers: tuple[tuple[str, str], ...] = (),
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.code = code
        self.detail = detail
        self.headers = headers


def busy(detail: str, *, retry_after_s: int = 5) -> Refused:
    """Return the refusal of a server that is too busy."""
    headers = (("Retry-After", str(retry_after_s)),)
    return Refused(HTTPStatus.SERVICE_UNAVAILABLE, "busy", detail, headers=headers)


async def send_refusal(scope: Scope, send: Send, refused: Refused) -> None:
    """Answer below `/api/` as the API does, and elsewhere with a small page."""
    is_api = scope["path"].startswith(_API)
    body = problem_text(refused) if is_api else _page(refused)
    kind = "application/problem+json" if is_api else "text/html; charset=utf-8"
    await send_text(
        send,
        body,
        status=refused.status,
        kind=kind,
        headers=(*refused.headers, ("Content-Security-Policy", _POLICY), *_READABLE),
    )


async def send_text(
    send: Send,
    text: str,
    *,
    status: HTTPStatus = HTTPStatus.OK,
    kind: str = "text/plain",
    headers: tuple[tuple[str, str], ...] = (),
) -> None:
    """Send a short answer that must not be cached."""
    body = text.encode()
    every = (
        *headers,
        ("Content-Type", kind),
        ("Content-Length", str(len(body))),
        ("Cache-Control", "no-store"),
        ("X-Content-Type-Options", "nosniff"),
    )
    encoded = [(name.lower().encode(), value.encode()) for name, value in every]
    await send({"type": "http.response.start", "status": int(status), "headers": encoded})
    await send({"type": "http.response.body", "body": body})


def problem_text(refused: Refused) -> str:
    """Return a refusal as the API tells it."""
    return json.dumps(
        {
            "type": f"urn:pentathlon:problem:{refused.code}",
            "title": refused.status.phrase,
            "status": int(refused.status),
            "code": refused.code,
            "detail": refused.detail,
            "errors": [{"code": refused.code, "detail": refused.detail, "attr": None}],
        }
    )


def _page(refused: Refused) -> str:
    title = escape(refused.status.phrase)
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title>'
        f'<h1>{title}</h1><p>{escape(refused.detail)}</p><p><a href="/">Pentathlon</a></p>'
    )
