"""The whole site for an ASGI server: one port, three ways to answer.

`/healthz` is answered here, whatever else hangs. Live streams, which wait for most of their life,
run on asyncio. Everything else runs in threads, where it is about three times as fast.
"""

import gc
import os
from http import HTTPStatus
from typing import Any, cast

from django.conf import settings
from django.core.asgi import get_asgi_application
from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver

from pentathlon.roles import Role, take_role
from pentathlon.server.bridge import Bridge
from pentathlon.server.protocol import Message, Receive, Scope, Send
from pentathlon.server.proxies import without_hearsay
from pentathlon.server.refusals import Refused, send_refusal, send_text

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "pentathlon.settings")
take_role(Role.WEB)

_ALIVE = "/healthz"
_STREAMS = "/live/"
_READING = ("GET", "HEAD")

_streams = cast(Any, get_asgi_application())  # Any: it follows the standard in types of its own
_pages = Bridge(cast(Any, get_wsgi_application()))

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
    elif scope["path"].startswith(_STREAMS):
        await _stream(without_hearsay(scope, proxies=settings.PROXIES), receive, send)
    else:
        await _pages(without_hearsay(scope, proxies=settings.PROXIES), receive, send)


async def _stream(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["method"] not in _READING:
        sentence = "Streams are only read."
        refused = Refused(
            HTTPStatus.METHOD_NOT_ALLOWED,
            "method_not_allowed",
            sentence,
            headers=(("Allow", ", ".join(_READING)),),
        )
        await send_refusal(scope, send, refused)
        return
    is_first = True

    async def receive_nothing() -> Message:
        """Hide a body from a handler that would store it without a limit."""
        nonlocal is_first
        if is_first:
            is_first = False
            return {"type": "http.request", "body": b"", "more_body": False}
        while (message := await receive())["type"] != "http.disconnect":
            pass
        return message

    await _streams(scope, receive_nothing, send)


async def _lifespan(receive: Receive, send: Send) -> None:
    while (await receive())["type"] == "lifespan.startup":
        await send({"type": "lifespan.startup.complete"})
    await send({"type": "lifespan.shutdown.complete"})
