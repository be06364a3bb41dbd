"""The whole site for an ASGI server: live streams on asyncio, everything else in threads.

Pages and the API are about three times as fast in a thread pool as through Django's own
asynchronous handler; only streams, which wait for most of their life, gain from asyncio.
"""

import os
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, cast

from a2wsgi import WSGIMiddleware
from django.core.asgi import get_asgi_application
from django.core.wsgi import get_wsgi_application

from pentathlon.roles import Role, take_role

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "pentathlon.settings")
take_role(Role.WEB)

Message = Mapping[str, Any]  # Any: the protocol's own shape
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

_STREAMS = "/live/"
_THREADS = 10

_streams = get_asgi_application()
# Cast: both follow the standards, each package with types of its own.
_pages = cast(Any, WSGIMiddleware(cast(Any, get_wsgi_application()), workers=_THREADS))


async def application(scope: dict[str, Any], receive: Receive, send: Send) -> None:
    """Hand a request to the half of the site that suits it."""
    if scope["type"] == "lifespan":
        await _lifespan(receive, send)
    elif scope["type"] == "http" and scope["path"].startswith(_STREAMS):
        await _streams(scope, receive, send)
    else:
        await _pages(scope, receive, send)


async def _lifespan(receive: Receive, send: Send) -> None:
    while (await receive())["type"] == "lifespan.startup":
        await send({"type": "lifespan.startup.complete"})
    await send({"type": "lifespan.shutdown.complete"})
