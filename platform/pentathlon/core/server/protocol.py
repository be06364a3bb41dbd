"""The shapes of ASGI and WSGI that the server uses."""

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any, Final

Scope = dict[str, Any]  # Any: the protocol's own shape
Message = Mapping[str, Any]  # Any: the protocol's own shape
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Headers = list[tuple[bytes, bytes]]

Environ = dict[str, Any]  # Any: the protocol's own shape
WsgiApplication = Callable[[Environ, Callable[..., Any]], Iterable[bytes]]


_GZIP: Final = re.compile(rb"\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))")


def accepts_gzip(scope: Scope) -> bool:
    """Return whether an answer may be packed by gzip."""
    accepted = b",".join(value for name, value in scope["headers"] if name == b"accept-encoding")
    return _GZIP.search(accepted) is not None


async def wait_until_gone(receive: Receive) -> None:
    """Return when the client has closed the connection."""
    while (await receive())["type"] != "http.disconnect":
        pass
