"""The shapes of ASGI and WSGI that the server uses."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any

Scope = dict[str, Any]  # Any: the protocol's own shape
Message = Mapping[str, Any]  # Any: the protocol's own shape
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Headers = list[tuple[bytes, bytes]]

Environ = dict[str, Any]  # Any: the protocol's own shape
WsgiApplication = Callable[[Environ, Callable[..., Any]], Iterable[bytes]]
