"""The whole site for an ASGI server: one port, four ways to answer.

`/healthz` is answered here, whatever else hangs. Everything else begins in threads, where it is
about three times as fast; live streams, which wait for most of their life, go on on asyncio, and
long answers are asked for piece by piece.
"""

import gc
import os
from collections.abc import Awaitable, Callable
from typing import Any, cast

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver

from pentathlon.core.server.bridge import Bridge
from pentathlon.core.server.connection import ON_SHUTDOWN
from pentathlon.core.server.continuations import Continued, is_long
from pentathlon.core.server.protocol import Receive, Scope, Send, send_text
from pentathlon.core.server.proxies import without_hearsay, without_inner_headers
from pentathlon.fleet.hints import PATH as _HINTS_PATH
from pentathlon.fleet.hints import HintDesk
from pentathlon.live.hub import Hub
from pentathlon.live.streams import Streams, is_stream
from pentathlon.roles import Role, take_role

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "pentathlon.settings")
take_role(Role.WEB)

_ALIVE = "/healthz"

_pages = Bridge(cast(Any, get_wsgi_application()))  # Any: it has types of its own
_streams = Streams(
    _pages,
    lambda: Hub(broker=settings.REDIS_URL, most_a_person=settings.STREAMS_OF_ONE),
)
_long = Continued(_pages)
_hints = HintDesk(_pages)
# A stream would keep the server from ever stopping.
ON_SHUTDOWN.append(_streams.close)
ON_SHUTDOWN.append(_hints.close)

# Imports all views now: the first visitor would wait two seconds for them.
get_resolver().url_patterns  # noqa: B018  read for what it does
# What is loaded by now stays: to look through it for garbage takes a quarter of a second.
gc.collect()
gc.freeze()


async def application(scope: Scope, receive: Receive, send: Send) -> None:
    """Hand a request to the part of the site that suits it."""
    if scope["type"] == "lifespan":
        await _lifespan(receive, send)
    elif scope["path"] == _ALIVE:
        await send_text(send, "ok\n")
    else:
        scope = without_hearsay(scope, proxies=settings.PROXIES)
        await _part_for(scope["path"])(scope, receive, without_inner_headers(send))


def _part_for(path: str) -> Callable[[Scope, Receive, Send], Awaitable[None]]:
    if path == _HINTS_PATH:
        return _hints
    if is_stream(path):
        return _streams
    return _long if is_long(path) else _pages


async def _lifespan(receive: Receive, send: Send) -> None:
    while (await receive())["type"] == "lifespan.startup":
        await send({"type": "lifespan.startup.complete"})
    await send({"type": "lifespan.shutdown.complete"})
