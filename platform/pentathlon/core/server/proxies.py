"""Trusts our own proxies, and nobody else, about who a client is; headers for our own layers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from ipaddress import ip_address
from typing import Any, Final

from pentathlon.core.server.protocol import Environ, Headers, Message, Scope, Send, WsgiApplication

WAS_FORWARDED: Final = "pentathlon.was_forwarded"
"""The key, in a scope and in an environ, that tells whether headers claim a proxy in between."""

_FOR = b"x-forwarded-for"
_PROTO = b"x-forwarded-proto"
_HEARSAY = (b"x-forwarded-", b"forwarded", b"x-real-ip", b"x-client-ip", b"x-cluster-client-ip")
_PREFIX: Final = "pentathlon-"
"""The beginning of the names of all of them, and of no others."""


def without_hearsay(scope: Scope, *, proxies: int) -> Scope:
    """Return a scope whose client and scheme are true, without headers that claim something else.

    `proxies` is the number of our own proxies in front, each of which adds a line to
    X-Forwarded-For. Names with an underscore are removed, too, because WSGI takes them for names
    with a hyphen.
    """
    headers: Headers = scope["headers"]
    kept = [
        (name, value)
        for name, value in headers
        if b"_" not in name and not name.lower().startswith(_HEARSAY)
    ]
    client = _client(headers, proxies) if proxies else None
    schemes = _values(headers, _PROTO)[-1:] if proxies else []
    return {
        **scope,
        "headers": kept,
        WAS_FORWARDED: any(name.lower().startswith(_HEARSAY) for name, _ in headers),
        "client": (client, 0) if client else scope.get("client"),
        "scheme": "https" if schemes == ["https"] else scope.get("scheme", "http"),
    }


def _client(headers: Headers, proxies: int) -> str | None:
    seen = _values(headers, _FOR)
    if not seen:
        return None
    told = seen[-min(proxies, len(seen))]
    if told.startswith("[") or told.count(":") == 1:
        told = told.removeprefix("[").rpartition("]" if "]" in told else ":")[0]
    try:
        return str(ip_address(told))
    except ValueError:
        return None


def _values(headers: Headers, wanted: bytes) -> list[str]:
    lines = [value.decode("latin-1") for name, value in headers if name.lower() == wanted]
    return [part.strip() for part in ",".join(lines).split(",") if part.strip()]


def without_inner_headers(send: Send) -> Send:
    """Return a `send` for a client, which takes inner headers off."""

    async def send_on(part: Message) -> None:
        if part["type"] == "http.response.start":
            headers = [
                pair for pair in part["headers"] if not _is_inner(pair[0].decode("latin-1"))
            ]
            part = {**part, "headers": headers}
        await send(part)

    return send_on


def take_off_inner_headers(application: WsgiApplication) -> WsgiApplication:
    """Return a WSGI application for a server that knows none of the inner headers."""

    def answer(environ: Environ, start_response: Callable[..., Any]) -> Iterable[bytes]:
        # Any: as WSGI has it
        def start(status: str, headers: list[tuple[str, str]], *rest: Any) -> Any:
            return start_response(
                status, [pair for pair in headers if not _is_inner(pair[0])], *rest
            )

        return application(environ, start)

    return answer


def _is_inner(name: str) -> bool:
    return name.lower().startswith(_PREFIX)
