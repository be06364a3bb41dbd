"""Headers by which views speak to the server; none of them leaves it, whoever was to read it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from pentathlon.core.server.protocol import Environ, Message, Send, WsgiApplication

_PREFIX: Final = "pentathlon-"
"""The beginning of the names of all of them, and of no others."""


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
