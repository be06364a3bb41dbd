"""Hints for workers that wait at the web server instead of at the queue.

A view has checked the worker's token; its answer carries a header that says how long to wait. The
server takes the header off, takes a hint from the queue on the worker's behalf, and answers then:
a worker that waits costs no thread. Under a server that does not know the header, the answer says
that nothing waits, and the worker asks again.
"""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Callable
from typing import Any, Final, cast

import structlog
from redis.asyncio import Redis
from redis.exceptions import RedisError

from pentathlon.server.protocol import Headers, Receive, Scope, Send
from pentathlon.server.protocol import Message as Part

PATH: Final = "/api/v1/fleet/hints/"
HINT_HEADER: Final = "Pentathlon-Hint-Wait"
MOST_WAITING: Final = 2000
"""Workers' slots that wait in one process."""
_TASK: Final = "play_matches"
_HEADER: Final = HINT_HEADER.lower().encode()
_CONNECT_S: Final = 2.0
_ANSWER_S: Final = 60.0
"""Longer than anybody may wait: the package's own limit is shorter."""

_log = structlog.stdlib.get_logger(__name__)


def read_hint(message: bytes) -> list[int]:
    """Return the matches that a message of the queue names; none if it is something else.

    A message is what Celery sends for `play_matches`: JSON around arguments in base64.
    """
    try:
        told = json.loads(message)
        if told["headers"]["task"] != _TASK:
            return []  # an analysis: it is sent again, and workers beside the database do it
        arguments, *_ = json.loads(base64.b64decode(told["body"]))
        (match_ids,) = arguments
        return [int(match_id) for match_id in match_ids]
    except (KeyError, TypeError, ValueError):
        return []


class HintDesk:
    """An ASGI application that answers like the one behind it, and waits where that says so."""

    def __init__(self, site: Callable[..., Any], *, broker: str | None, queue: str) -> None:
        # Any: an application
        self._site = site
        self._broker = broker
        self._queue = queue
        self._client: Redis | None = None
        self._waiting = 0
        self._closing: asyncio.Event | None = None

    def close(self) -> None:
        """Let everybody go: the server stops, and workers ask again elsewhere."""
        if self._closing is not None:
            self._closing.set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        taken: list[Headers] = []

        async def pass_on(part: Part) -> None:
            if part["type"] == "http.response.start" and _HEADER in dict(part["headers"]):
                taken.append(list(part["headers"]))
            elif not taken:
                await send(part)

        await self._site(scope, receive, pass_on)
        if not taken:
            return
        wait_s = float(dict(taken[0])[_HEADER])
        message = await self._wait(wait_s, receive)
        hint = [] if message is None else read_hint(message)
        body = json.dumps({"match_ids": hint}).encode()
        headers = [pair for pair in taken[0] if pair[0] not in {_HEADER, b"content-length"}]
        headers.append((b"content-length", str(len(body)).encode()))
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    async def _wait(self, wait_s: float, receive: Receive) -> bytes | None:
        """Take a message from the queue; None if none comes in time, or the worker goes."""
        if self._broker is None or self._waiting >= MOST_WAITING:
            return None
        self._closing = self._closing or asyncio.Event()
        pop = asyncio.create_task(self._pop(wait_s))
        gone = asyncio.create_task(_wait_until_gone(receive))
        closing = asyncio.create_task(self._closing.wait())
        self._waiting += 1
        try:
            await asyncio.wait({pop, gone, closing}, return_when=asyncio.FIRST_COMPLETED)
            if pop.done() and not gone.done():
                return pop.result()
            if pop.done() and (message := pop.result()) is not None:
                await self._put_back(message)
            return None
        finally:
            self._waiting -= 1
            for task in (pop, gone, closing):
                task.cancel()

    async def _pop(self, wait_s: float) -> bytes | None:
        try:
            # 0 would wait for ever.
            found = await self._redis().brpop([self._queue], timeout=max(0.01, wait_s))
        except (RedisError, OSError, TimeoutError) as error:
            _log.warning("hints not read", reason=str(error))
            await asyncio.sleep(min(1.0, wait_s))
            return None
        return None if found is None else cast(bytes, found[1])

    async def _put_back(self, message: bytes) -> None:
        """Leave a hint to the next one; should that fail, the reconciler sends it again."""
        try:
            await self._redis().rpush(self._queue, message)
        except (RedisError, OSError, TimeoutError):
            return

    def _redis(self) -> Redis:
        if self._client is None:
            self._client = Redis.from_url(
                str(self._broker), socket_connect_timeout=_CONNECT_S, socket_timeout=_ANSWER_S
            )
        return self._client


async def _wait_until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
