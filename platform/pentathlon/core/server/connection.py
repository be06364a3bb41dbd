"""A connection that ends when its client keeps the server waiting."""

import asyncio
import socket
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, Final

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from pentathlon.core.server.limits import (
    HEAD_S,
    LARGEST_HEAD,
    LINGER_S,
    MOST_CONNECTIONS,
    MOST_PIPELINED,
    SEND_BUFFER,
    STALL_S,
)

ON_SHUTDOWN: Final[list[Callable[[], None]]] = []
"""Functions to call for every open connection when the server is asked to stop."""
_HEAD: Final = "head"
_STALL: Final = "stall"
_LINGER: Final = "linger"
_CHUNK_FACTOR: Final = 8
"""Bytes on the wire allowed for each byte of a body; one in a chunk of its own takes six."""


class Connection(HttpToolsProtocol):
    """uvicorn's connection with the deadlines that it lacks; bodies have theirs elsewhere."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # Any: as uvicorn calls it
        super().__init__(*args, **kwargs)
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._is_in_head = True
        self._is_in_body = False
        self._head_bytes = 0
        self._around_body = 0
        self._body_since: float | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first request; beyond the limit, drop the connection that waits longest."""
        super().connection_made(transport)
        listening = transport.get_extra_info("socket")
        if listening is not None:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
        self._start(_HEAD, HEAD_S, self._refuse_slow_head)
        if len(self.connections) > MOST_CONNECTIONS:
            self._drop_longest_waiting()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget all deadlines."""
        for name in tuple(self._timers):
            self._stop(name)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on, unless the head of the request has grown too large."""
        if self.transport.is_closing():
            return
        had_begun = self._head_bytes > 0
        if self._is_in_body:
            self._around_body += len(data)
        super().data_received(data)
        if self._is_in_body and self._around_body > LARGEST_HEAD:
            # Chunk extensions and trailers: no body limit counts them.
            self.transport.abort()
        if self._is_in_head and self._is_answered() and not self.transport.is_closing():
            # The same piece may begin with the end of the request before, so this counts as one
            # byte.
            self._head_bytes += len(data) if had_begun else 1
            self._start(_HEAD, HEAD_S, self._refuse_slow_head)
            self._check_head(self._head_bytes)

    def on_message_begin(self) -> None:
        """Begin to count a head."""
        super().on_message_begin()
        self._head_bytes = 0

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take headers, and drop trailers, which nobody reads."""
        if not self._is_in_body:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Begin a request, whose head has come in time."""
        self._is_in_head = False
        self._is_in_body = True
        self._around_body = 0
        self._body_since = self.loop.time()
        self._stop(_HEAD)
        size = len(self.url) + sum(len(name) + len(value) + 4 for name, value in self.headers)
        if len(self.pipeline) >= MOST_PIPELINED:
            self.transport.abort()
        if not self.transport.is_closing() and self._check_head(size):
            super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Take a part of a body, unless the connection is being closed."""
        # Even chunks of few bytes have some bytes of framing.
        self._around_body -= _CHUNK_FACTOR * len(body)
        if not self.transport.is_closing():
            super().on_body(body)

    def on_message_complete(self) -> None:
        """End the wait for the rest of a body that was refused."""
        self._is_in_body = False
        self._body_since = None
        self._is_in_head = True
        self._head_bytes = 0
        self._stop(_LINGER)
        if not self.transport.is_closing():
            super().on_message_complete()

    def on_response_complete(self) -> None:
        """Wait a little for the rest of an unread body, or for the client to read the answer."""
        super().on_response_complete()
        if self._is_in_body:
            self._start(_LINGER, LINGER_S, self.transport.abort)
        if self.transport.is_closing():
            self._start(_STALL, STALL_S, self.transport.abort)

    def waits_since(self) -> float | None:
        """Return since when the client keeps this connection waiting; None if it does not."""
        begun = [
            timer.when() - seconds
            for timer, seconds in (
                (self._timers.get(_HEAD), HEAD_S),
                (self._timers.get(_STALL), STALL_S),
                (self._timers.get(_LINGER), LINGER_S),
                (self.timeout_keep_alive_task, self.timeout_keep_alive),
            )
            if timer is not None
        ]
        return min(begun, default=None) if self._body_since is None else self._body_since

    def shutdown(self) -> None:
        """Close after the answer under way, and ask endless answers to end."""
        for end in ON_SHUTDOWN:
            end()
        super().shutdown()

    def timeout_keep_alive_handler(self) -> None:
        """Close, but wait only for a while until the client has read everything."""
        super().timeout_keep_alive_handler()
        self._start(_STALL, STALL_S, self.transport.abort)

    def pause_writing(self) -> None:
        """Start the deadline of a client that does not read."""
        super().pause_writing()
        self._start(_STALL, STALL_S, self.transport.abort)

    def resume_writing(self) -> None:
        """Stop the deadline of a client that reads again."""
        self._stop(_STALL)
        super().resume_writing()

    def _start(self, name: str, seconds: float, action: Callable[[], object]) -> None:
        if name not in self._timers:
            self._timers[name] = self.loop.call_later(seconds, action)

    def _stop(self, name: str) -> None:
        timer = self._timers.pop(name, None)
        if timer is not None:
            timer.cancel()

    def _is_answered(self) -> bool:
        return self.cycle is None or self.cycle.response_complete  # type: ignore[redundant-expr]  # None at first

    def _drop_longest_waiting(self) -> None:
        # All of them are of this class, but uvicorn's type does not say so.
        others = [other for other in self.connections if isinstance(other, Connection)]
        waiting = [
            (since, other) for other in others if (since := other.waits_since()) is not None
        ]
        if waiting:
            min(waiting, key=lambda pair: pair[0])[1].transport.abort()

    def _refuse_slow_head(self) -> None:
        if self._head_bytes:
            self._refuse(HTTPStatus.REQUEST_TIMEOUT)
        else:
            self.transport.close()

    def _check_head(self, size: int) -> bool:
        if size > LARGEST_HEAD:
            self._refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)
        return size <= LARGEST_HEAD

    def _refuse(self, status: HTTPStatus) -> None:
        body = f"{status.phrase}\n".encode()
        head = f"content-type: text/plain\r\ncontent-length: {len(body)}\r\nconnection: close"
        self.transport.write(STATUS_LINE[status] + head.encode() + b"\r\n\r\n" + body)
        self.transport.close()
        self._start(_STALL, STALL_S, self.transport.abort)
