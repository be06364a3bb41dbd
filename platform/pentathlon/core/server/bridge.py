"""Hand requests to a WSGI application whose threads never wait for a client.

A request gets a thread when its body is here, and gives it back when its answer is made; bodies
are read and answers written on asyncio.
"""

import asyncio
import contextvars
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final
from wsgiref.util import FileWrapper

import structlog

from pentathlon.core.server.bodies import ANSWERS, BODIES, ClientGone, NoRoom, Spool, read_body
from pentathlon.core.server.limits import (
    MOST_WAITING,
    SLOWEST_READER,
    STALL_S,
    THREADS,
    ThreadGroup,
    allowance,
)
from pentathlon.core.server.protocol import (
    Environ,
    Message,
    Receive,
    Refused,
    Scope,
    Send,
    WsgiApplication,
    busy,
    send_refusal,
)
from pentathlon.core.server.proxies import WAS_FORWARDED

_CHUNK: Final = 64 * 1024
_WITHOUT_BODY: Final = (HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED)
_CRASHED: Final = Refused(
    HTTPStatus.INTERNAL_SERVER_ERROR, "error", "Something went wrong on our side."
)
_CROWDED: Final = busy("Too many requests wait already. Try again in a few seconds.")
_FULL: Final = busy("Too many large requests are under way. Try again in a few seconds.")

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answer:
    status: int
    headers: list[tuple[bytes, bytes]]
    body: Spool | FileWrapper
    """A `FileWrapper` reads a file that is not ours alone, such as a static one."""

    @property
    def send_s(self) -> float | None:
        """How many seconds sending it may take; None for a file that is not ours alone."""
        return STALL_S + self.body.size / SLOWEST_READER if isinstance(self.body, Spool) else None

    def read(self) -> bytes:
        source = self.body.file if isinstance(self.body, Spool) else self.body.filelike
        return source.read(_CHUNK)

    def close(self) -> None:
        # WSGI has this method; the standard library's types do not.
        close = getattr(self.body, "close", None)
        if close is not None:
            close()


class Bridge:
    """An ASGI application in front of a WSGI application."""

    def __init__(self, application: WsgiApplication) -> None:
        self._application = application
        self._threads = {group: _Threads(group, count) for group, count in THREADS.items()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        try:
            await self._answer(scope, receive, send)
        except ClientGone:
            return
        except NoRoom:
            await send_refusal(scope, send, _FULL)
        except Refused as refused:
            await send_refusal(scope, send, refused)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        allowed = allowance(scope["path"])
        body = Spool(BODIES)
        try:
            await read_body(scope, receive, allowed=allowed, into=body)
            # After the body, the only message that can arrive is that the client has gone.
            gone = asyncio.ensure_future(receive())
            try:
                async with self._threads[allowed.threads].turn(gone) as run:
                    answer = await run(lambda: self._make(environ_of(scope, body)))
            finally:
                gone.cancel()
        finally:
            body.close()
        try:
            async with asyncio.timeout(answer.send_s):
                await _send(answer, send, is_head=scope["method"] == "HEAD")
        except TimeoutError:
            # The server closes the connection of an answer that ends early.
            _log.warning("answer_read_too_slowly", path=scope["path"])
        finally:
            await asyncio.to_thread(answer.close)

    def _make(self, environ: Environ) -> _Answer:
        """Run in a thread: make the whole answer, errors included, before any of it is sent."""
        head: dict[str, Any] = {}  # Any: what WSGI hands over

        def start_response(
            status: str, headers: list[tuple[str, str]], exc_info: object = None
        ) -> Callable[[bytes], None]:
            head.update(status=int(status.split(" ", 1)[0]), headers=headers)
            return spool.write

        spool = Spool(ANSWERS)
        try:
            body = self._application(environ, start_response)
            if isinstance(body, FileWrapper):
                spool.close()
                return _Answer(status=head["status"], headers=_encoded(head), body=body)
            _write_all(body, spool)
        except NoRoom:
            spool.close()
            raise
        except Exception as error:
            spool.close()
            _log.exception("request_failed", path=environ["PATH_INFO"])
            raise _CRASHED from error
        spool.rewind()
        headers = _encoded(head)
        if head["status"] not in _WITHOUT_BODY and b"content-length" not in dict(headers):
            headers.append((b"content-length", str(spool.size).encode()))
        return _Answer(status=head["status"], headers=headers, body=spool)


class _Threads:
    """The threads of one group, and the requests that wait for one of them."""

    def __init__(self, threads: ThreadGroup, count: int) -> None:
        self._pool = ThreadPoolExecutor(max_workers=count, thread_name_prefix=threads)
        self._free = asyncio.Semaphore(count)
        self._waiting = 0

    @asynccontextmanager
    async def turn(self, gone: "asyncio.Future[Message]") -> AsyncIterator[Callable[..., Any]]:
        """Wait for a thread, as long as the client does."""
        await self._wait(gone)
        try:
            yield self._run
        finally:
            self._free.release()

    async def _wait(self, gone: "asyncio.Future[Message]") -> None:
        if not self._free.locked():
            await self._free.acquire()  # at once
            return
        if self._waiting >= MOST_WAITING:
            raise _CROWDED
        self._waiting += 1
        mine = asyncio.ensure_future(self._free.acquire())
        either: set[asyncio.Future[Any]] = {mine, gone}
        try:
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            _give_up(mine, self._free)
            raise
        finally:
            self._waiting -= 1
        if not mine.done():
            _give_up(mine, self._free)
            raise ClientGone

    async def _run(self, work: Callable[[], _Answer]) -> _Answer:
        running = self._pool.submit(contextvars.copy_context().run, work)
        try:
            return await asyncio.wrap_future(running)
        except asyncio.CancelledError:
            running.add_done_callback(_close_unsent)
            raise


def environ_of(scope: Scope, body: Spool) -> Environ:
    """Return a request as the environ of WSGI."""
    client, server = scope.get("client") or ("", 0), scope.get("server") or ("localhost", 80)
    environ: Environ = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": scope.get("root_path", ""),
        "PATH_INFO": scope["path"].encode("utf-8", "surrogateescape").decode("latin-1"),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "SERVER_NAME": str(server[0]),
        "SERVER_PORT": str(server[1]),
        "REMOTE_ADDR": str(client[0]),
        "REMOTE_PORT": str(client[1]),
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope.get("scheme", "http"),
        "wsgi.input": body.file,
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
        "wsgi.file_wrapper": FileWrapper,
        WAS_FORWARDED: scope.get(WAS_FORWARDED, False),
    }
    for name, value in scope["headers"]:
        key = f"HTTP_{name.decode('latin-1').upper().replace('-', '_')}"
        text = value.decode("latin-1")
        environ[key] = f"{environ[key]},{text}" if key in environ else text
    # The length is known by now, even of a chunked body.
    environ.pop("HTTP_TRANSFER_ENCODING", None)
    environ.pop("HTTP_CONTENT_LENGTH", None)
    environ["CONTENT_LENGTH"] = str(body.size)
    environ["CONTENT_TYPE"] = environ.pop("HTTP_CONTENT_TYPE", "")
    return environ


def _close_unsent(made: "Future[_Answer]") -> None:
    if not made.cancelled() and made.exception() is None:
        made.result().close()


def _give_up(mine: "asyncio.Future[Any]", free: asyncio.Semaphore) -> None:
    if mine.done() and not mine.cancelled():
        free.release()
    mine.cancel()


def _write_all(body: Any, spool: Spool) -> None:  # Any: an iterable that may have a close
    try:
        for chunk in body:
            spool.write(chunk)
    finally:
        if hasattr(body, "close"):
            body.close()


def _encoded(head: dict[str, Any]) -> list[tuple[bytes, bytes]]:
    pairs: Sequence[tuple[str, str]] = head["headers"]
    return [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in pairs]


async def _send(answer: _Answer, send: Send, *, is_head: bool) -> None:
    await send({"type": "http.response.start", "status": answer.status, "headers": answer.headers})
    chunk = b"" if is_head else answer.read()
    while chunk:
        await send({"type": "http.response.body", "body": chunk, "more_body": True})
        chunk = answer.read()
    await send({"type": "http.response.body", "body": b""})
