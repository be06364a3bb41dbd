"""The one subscription of a process to the broker, for everything that somebody follows."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Final

import structlog
from redis.asyncio import Redis
from redis.exceptions import RedisError

AGAIN_S: Final = 1.0
"""Seconds to wait before another attempt when the broker has not answered."""
ANSWER_S: Final = 2.0

Hear = Callable[[str, bytes], None]
"""A function that takes a channel and what came there."""

_log = structlog.stdlib.get_logger(__name__)


class Feed:
    """Listens to the wanted channels; while the broker is away, it tries again and again.

    It is connected only while a channel is wanted.
    """

    def __init__(self, url: str, hear: Hear) -> None:
        self._url = url
        self._hear = hear
        self._wanted: set[str] = set()
        self._changed = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def add(self, channel: str) -> None:
        """Begin to listen to this channel soon."""
        self._wanted.add(channel)
        self._changed.set()
        if self._task is None:
            self._task = asyncio.create_task(self._run())

    def discard(self, channel: str) -> None:
        """Stop listening to this channel."""
        self._wanted.discard(channel)
        self._changed.set()

    async def _run(self) -> None:
        try:
            while self._wanted:
                try:
                    await self._listen()
                except (RedisError, OSError, TimeoutError) as error:
                    _log.warning("frames not heard", reason=str(error))
                    await asyncio.sleep(AGAIN_S)
        finally:
            self._task = None

    async def _listen(self) -> None:
        """Listen until no channel is wanted any more."""
        client = Redis.from_url(self._url, socket_connect_timeout=ANSWER_S)
        subscription = client.pubsub()
        reader: asyncio.Task[None] | None = None
        known: set[str] = set()
        try:
            while self._wanted:
                self._changed.clear()
                if new := self._wanted - known:
                    await subscription.subscribe(*new)
                if old := known - self._wanted:
                    await subscription.unsubscribe(*old)
                known = set(self._wanted)
                if reader is None:
                    reader = asyncio.create_task(self._read(subscription))
                await self._wait_for_change(reader)
        finally:
            if reader is not None:
                reader.cancel()
                await asyncio.gather(reader, return_exceptions=True)
            await subscription.aclose()  # type: ignore[no-untyped-call]  # the package's own
            await client.aclose()

    async def _wait_for_change(self, reader: asyncio.Task[None]) -> None:
        changed = asyncio.create_task(self._changed.wait())
        await asyncio.wait({changed, reader}, return_when=asyncio.FIRST_COMPLETED)
        changed.cancel()
        if reader.done():
            reader.result()

    async def _read(self, subscription: Any) -> None:  # Any: the package has no types here
        async for heard in subscription.listen():
            if heard["type"] == "message":
                self._hear(heard["channel"].decode(), heard["data"])
            elif heard["type"] == "subscribe":
                self._hear(heard["channel"].decode(), b"")
