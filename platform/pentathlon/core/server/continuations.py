"""Answers of any length in one piece, each stretch of which is made by a short request of its own.

A view answers with a stretch and says in a header how to ask for the next one. The server removes
the header and asks on behalf of the client, as fast as the client reads. Whatever the length, the
server holds one stretch in memory, and a thread only while a stretch is made.
"""

import asyncio
import re
import zlib
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Final

import structlog

from pentathlon.core.server.limits import HISTORIES
from pentathlon.core.server.protocol import (
    Headers,
    Message,
    Receive,
    Scope,
    Send,
    accepts_gzip,
    wait_until_gone,
)

HEADER: Final = "Pentathlon-Continues"
"""The header with the query for the next stretch; it is empty after the last one."""
_HEADER: Final = HEADER.lower().encode()
_LONG: Final = re.compile(HISTORIES)
_OF_ONE_STRETCH: Final = (_HEADER, b"content-length", b"link", b"etag")
_GZIP: Final = 31
_LEVEL: Final = 4
_PAUSE_S: Final = 5.0

Site = Callable[[Scope, Receive, Send], Awaitable[None]]

_log = structlog.get_logger(__name__)


def is_long(path: str) -> bool:
    """Return whether answers at this address may be continued."""
    return _LONG.match(path) is not None


class Continued:
    """An ASGI application that answers like the one behind it, stretch after stretch."""

    def __init__(self, site: Site) -> None:
        self._site = site

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; an answer that breaks off is never marked as complete."""
        is_head = scope["method"] == "HEAD"
        answer = _Answer(send, is_packed=accepts_gzip(scope), is_head=is_head)
        # Stretches are compressed here, as one: many clients read only the first of several gzip
        # members.
        plain = [pair for pair in scope["headers"] if pair[0] != b"accept-encoding"]
        scope = {**scope, "headers": plain}
        await self._site(scope, receive, answer.take)
        if not answer.is_joined:
            return
        if is_head:
            answer.following = None
        gone = asyncio.create_task(wait_until_gone(receive))
        try:
            # The client may have gone during the first stretch; let the task see it.
            await asyncio.sleep(0)
            while not answer.is_over and not gone.done():
                if answer.pause_s:
                    await asyncio.wait({gone}, timeout=answer.pause_s)
                asked = {**scope, "query_string": answer.ask()}
                await self._site(asked, _bodiless(gone), answer.take)
            if answer.is_broken:
                _log.warning("answer_broke_off", path=scope["path"])
            elif not gone.done():
                await answer.end()
        finally:
            gone.cancel()


class _Answer:
    """The one answer that the client gets."""

    def __init__(self, send: Send, *, is_packed: bool, is_head: bool) -> None:
        self._send = send
        self._is_head = is_head
        self._packer = zlib.compressobj(_LEVEL, wbits=_GZIP) if is_packed else None
        self._asked: bytes = b""
        self._skips = False
        self._is_whole = False
        self.is_joined = False
        """Whether the answer may have more than the first stretch."""
        self.following: bytes | None = None
        """The query for the next stretch; None if there is none."""
        self.pause_s = 0.0
        """Seconds to wait before asking for it again, because the client has reached its rate."""

    @property
    def is_broken(self) -> bool:
        """Whether a stretch was refused or broke off, so that nothing may follow it."""
        return not self._is_whole

    @property
    def is_over(self) -> bool:
        """Whether there is nothing to ask for any more."""
        return self.is_broken or self.following is None

    def ask(self) -> bytes:
        """Return the query for the next stretch, and expect that stretch."""
        self._asked, self.following = self.following or b"", None
        self._is_whole, self.pause_s = False, 0.0
        return self._asked

    async def take(self, part: Message) -> None:
        """Pass on a part of a stretch that the site has made."""
        if part["type"] == "http.response.start":
            await self._begin_stretch(part)
        elif not self.is_joined:
            await self._send(part)
        elif not self._skips:
            if part.get("body") and not self._is_head:
                await self._write(part["body"])
            self._is_whole = not part.get("more_body", False)

    async def end(self) -> None:
        """Mark the end of the answer."""
        rest = b"" if self._packer is None or self._is_head else self._packer.flush()
        await self._send({"type": "http.response.body", "body": rest})

    async def _begin_stretch(self, part: Message) -> None:
        headers: Headers = list(part["headers"])
        said = dict(headers)
        if self.is_joined:
            self._skips = part["status"] != HTTPStatus.OK
            self.following = None if self._skips else said.get(_HEADER) or None
            if part["status"] == HTTPStatus.TOO_MANY_REQUESTS:
                self.following, self._is_whole = self._asked, True
                self.pause_s = float(said.get(b"retry-after", b"") or _PAUSE_S)
            return
        if _HEADER not in said:
            await self._send(part)
            return
        self.is_joined, self.following = True, said[_HEADER] or None
        kept = [pair for pair in headers if pair[0] not in _OF_ONE_STRETCH]
        if self._packer is not None:
            kept.append((b"content-encoding", b"gzip"))
        await self._send({**part, "headers": kept})

    async def _write(self, data: bytes) -> None:
        if self._packer is not None:
            data = await asyncio.to_thread(self._packer.compress, data)
        if data:
            await self._send({"type": "http.response.body", "body": data, "more_body": True})


def _bodiless(gone: "asyncio.Task[None]") -> Receive:
    """Return a `receive` for later stretches: their requests have no body and the same client."""
    messages = [{"type": "http.request", "body": b"", "more_body": False}]

    async def receive() -> Message:
        if messages:
            return messages.pop()
        await asyncio.shield(gone)
        return {"type": "http.disconnect"}

    return receive
