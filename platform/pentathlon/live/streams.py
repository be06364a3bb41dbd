"""Streams on the wire: takes over a connection whose answer carries a ticket."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from http import HTTPStatus
from typing import Final

from pentathlon.core.server.limits import HEARTBEAT_S, STALL_S, STREAMS
from pentathlon.core.server.protocol import (
    Headers,
    Receive,
    Refused,
    Scope,
    Send,
    accepts_gzip,
    send_refusal,
    wait_until_gone,
)
from pentathlon.core.server.protocol import Message as Part
from pentathlon.live.hub import Hub, Listener
from pentathlon.live.messages import HEARTBEAT, RETRY_MS, Packing, StreamEvent, message
from pentathlon.live.snapshots import HEADER, Ticket

_ADDRESSES: Final = re.compile(STREAMS)
_HEADER: Final = HEADER.lower().encode()
_OF_ONE_BODY: Final = (_HEADER, b"content-length", b"content-encoding")
_START: Final = {"type": "http.response.start", "status": int(HTTPStatus.OK)}

Site = Callable[[Scope, Receive, Send], object]


def is_stream(path: str) -> bool:
    """Return whether answers at this address may be streams."""
    return _ADDRESSES.match(path) is not None


class Streams:
    """An ASGI application that answers like the one behind it, and turns tickets into streams."""

    def __init__(self, site: Callable[..., object], make_hub: Callable[[], Hub]) -> None:
        self._site = site
        self._make_hub = make_hub
        self._hub: Hub | None = None

    @property
    def hub(self) -> Hub:
        """The hub of this process; it is made at first use, in the event loop."""
        if self._hub is None:
            self._hub = self._make_hub()
        return self._hub

    def close(self) -> None:
        """End all streams."""
        if self._hub is not None:
            self._hub.close()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        taken: list[Headers] = []

        async def pass_on(part: Part) -> None:
            if part["type"] == "http.response.start" and _HEADER in dict(part["headers"]):
                taken.append(list(part["headers"]))
            elif not taken:
                await send(part)

        await self._site(scope, receive, pass_on)  # type: ignore[misc]  # an application
        if not taken:
            return
        ticket = Ticket.of(dict(taken[0])[_HEADER].decode())
        headers = _headers_of_stream(taken[0], is_packed=accepts_gzip(scope))
        if scope["method"] == "HEAD":
            await send({**_START, "headers": headers})
            await send({"type": "http.response.body"})
            return
        try:
            with self.hub.listen(ticket) as listener:
                await _Stream(listener, scope, headers, self.hub).run(receive, send)
        except Refused as refused:
            await send_refusal(scope, send, refused)


class _Stream:
    """One connection that stays open."""

    def __init__(self, listener: Listener, scope: Scope, headers: Headers, hub: Hub) -> None:
        self._listener = listener
        self._hub = hub
        self._packing = Packing() if accepts_gzip(scope) else None
        self._headers = headers
        self._is_gone = False

    async def run(self, receive: Receive, send: Send) -> None:
        """Write until no more messages will come, or the client has gone."""
        gone = asyncio.create_task(self._wait_until_gone(receive))
        await send({**_START, "headers": self._headers})
        try:
            await self._write(send, self._begin() + self._bytes(message(retry_ms=RETRY_MS)))
            while not self._is_gone:
                news = self._listener.take()
                if news:
                    await self._write(send, b"".join(map(self._bytes, news)))
                if self._listener.is_over or self._hub.is_closing:
                    break
                if not await self._wait():
                    await self._write(send, self._bytes(HEARTBEAT))
            if not self._is_gone:
                end = b"" if self._packing is None else self._packing.end()
                await send({"type": "http.response.body", "body": end})
        except TimeoutError:
            # The client is stuck; the server closes a connection whose answer was not completed.
            return
        finally:
            gone.cancel()

    async def _wait(self) -> bool:
        """Wait for news; return False if the next heartbeat is due first."""
        try:
            async with asyncio.timeout(HEARTBEAT_S):
                await self._listener.news.wait()
        except TimeoutError:
            return False
        return True

    async def _write(self, send: Send, data: bytes) -> None:
        async with asyncio.timeout(STALL_S):
            await send({"type": "http.response.body", "body": data, "more_body": True})

    async def _wait_until_gone(self, receive: Receive) -> None:
        await wait_until_gone(receive)
        self._is_gone = True
        self._listener.news.set()

    def _begin(self) -> bytes:
        return b"" if self._packing is None else self._packing.begin()

    def _bytes(self, each: StreamEvent) -> bytes:
        return each.plain if self._packing is None else self._packing.add(each)


def _headers_of_stream(headers: Headers, *, is_packed: bool) -> Headers:
    """Return the headers of an answer without those of its first messages alone."""
    kept = [pair for pair in headers if pair[0] not in _OF_ONE_BODY]
    return [*kept, (b"content-encoding", b"gzip")] if is_packed else kept
