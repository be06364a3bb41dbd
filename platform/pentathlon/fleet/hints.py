"""Hints for workers that ask the site for them, because they have no way to the broker.

A view has checked the worker's token and read waiting work from the database, which is there when
the broker is not. If there is none, its answer carries a header that says how long to wait: the
server takes the header off and answers then, so a worker that waits costs no thread. Under a
server that does not know the header, the answer comes at once, and the worker asks again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import Any, Final

from celery import Celery
from kombu import Connection
from kombu.transport import virtual

from pentathlon.core.server.protocol import Message as Part
from pentathlon.core.server.protocol import Receive, Scope, Send, wait_until_gone

PATH: Final = "/api/v1/fleet/hints/"
PAUSE_HEADER: Final = "Pentathlon-Hint-Pause"
"""Says for how many seconds to wait."""
MOST_WAITING: Final = 2000
"""The most workers that may wait in one process."""
_PAUSE: Final = PAUSE_HEADER.lower().encode()
Work = tuple[str, list[int], dict[str, Any]]
"""A task, the ids that it is for, and its options, which are JSON."""

_app = Celery("hints", set_as_current=False, fixups=[])
_app.config_from_object("pentathlon.fleet.queues")


def messages(work: Iterable[Work]) -> list[dict[str, Any]]:  # Any: JSON
    """Return what Celery would put into the queues, each message with the name of its queue."""
    with Connection(transport=_Transport) as connection:
        for task, ids, options in work:
            _app.send_task(task, (ids,), options, connection=connection)
        transport: Any = connection.transport  # Any: ours
        return list(transport.sent)


class _Outbox(virtual.Channel):
    """Keeps what is put into queues."""

    connection: Any  # kombu's word for the transport

    def _put(self, queue: str, message: dict[str, Any], **_: object) -> None:  # Any: JSON
        self.connection.sent.append({"queue": queue, "message": message})


class _Transport(virtual.Transport):
    Channel = _Outbox

    def __init__(self, *args: Any, **options: Any) -> None:  # Any: kombu's own
        super().__init__(*args, **options)
        self.sent: list[dict[str, Any]] = []


class HintDesk:
    """An ASGI application that answers like the one behind it, and waits when that one says so."""

    def __init__(self, site: Callable[..., Any]) -> None:  # Any: an application
        self._site = site
        self._waiting = 0
        self._closing: asyncio.Event | None = None

    def close(self) -> None:
        """Answer all waiting workers because the server stops; they ask again elsewhere."""
        if self._closing is not None:
            self._closing.set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        held: list[Part] = []

        async def pass_on(part: Part) -> None:
            if held or (part["type"] == "http.response.start" and _PAUSE in dict(part["headers"])):
                held.append(part)
            else:
                await send(part)

        await self._site(scope, receive, pass_on)
        if not held:
            return
        await self._wait(float(dict(held[0]["headers"])[_PAUSE]), receive)
        headers = [pair for pair in held[0]["headers"] if pair[0] != _PAUSE]
        for part in ({**held[0], "headers": headers}, *held[1:]):
            await send(part)

    async def _wait(self, wait_s: float, receive: Receive) -> None:
        """Wait until the time is over, the worker hangs up or the server stops."""
        if self._waiting >= MOST_WAITING:
            return
        self._closing = self._closing or asyncio.Event()
        ends = [
            asyncio.create_task(self._closing.wait()),
            asyncio.create_task(wait_until_gone(receive)),
        ]
        self._waiting += 1
        try:
            await asyncio.wait(ends, timeout=wait_s, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._waiting -= 1
            for task in ends:
                task.cancel()
