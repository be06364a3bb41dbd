"""Connections end when their clients keep the server waiting."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from http import HTTPStatus

import pytest
import uvicorn

from pentathlon.core.server import connection
from pentathlon.core.server.connection import Connection
from pentathlon.core.server.protocol import Receive, Refused, Scope, Send, send_refusal, send_text
from tests.patience import PATIENCE_S

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Open = Callable[[bytes], Awaitable[Streams]]
TOO_LARGE = HTTPStatus.REQUEST_ENTITY_TOO_LARGE


async def application(scope: Scope, receive: Receive, send: Send) -> None:
    """Refuse bodies unread, but at one address; send much to who asks for it."""
    if scope["path"] == "/large":
        head = {"type": "http.response.start", "status": 200, "headers": []}
        await send(head)
        for _ in range(1000):
            await send({"type": "http.response.body", "body": b"x" * 65536, "more_body": True})
            await asyncio.sleep(0)
    if scope["path"] == "/body":
        size, is_over = 0, False
        while not is_over:
            message = await receive()
            size += len(message.get("body", b""))
            is_over = not message.get("more_body", False)
        await send_text(send, f"read {size}")
    elif scope["method"] == "POST":
        await send_refusal(scope, send, Refused(TOO_LARGE, "too_large", "No."))
    else:
        await send_text(send, "ok")


def run(scenario: Callable[[Open], Awaitable[None]], *, idle_s: int = 30) -> None:
    """Serve on a free port while the scenario runs."""

    async def play() -> None:
        config = uvicorn.Config(
            application, http=Connection, ws="none", lifespan="off", port=0, log_config=None,
            timeout_keep_alive=idle_s, timeout_graceful_shutdown=1,
        )  # fmt: skip
        server = uvicorn.Server(config)
        serving = asyncio.ensure_future(server._serve())
        while not server.started:  # noqa: ASYNC110  it has nothing else to wait for
            await asyncio.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]

        async def open_connection(sent: bytes) -> Streams:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(sent)
            writers.append(writer)
            return reader, writer

        writers: list[asyncio.StreamWriter] = []

        try:
            await asyncio.wait_for(scenario(open_connection), PATIENCE_S)
        finally:
            for writer in writers:
                writer.transport.abort()
            server.should_exit = True
            await serving

    asyncio.run(play())


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        (b"", b""),
        (b"\r\n", b"408"),
        (b"GET / HT", b"408"),
        (b"GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ", b"408"),
    ],
)
def test_head_that_does_not_come_ends_the_connection(
    sent: bytes, said: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "HEAD_S", 0.5)

    async def scenario(opened: Open) -> None:
        reader, _ = await opened(sent)
        assert said in await reader.read()

    run(scenario)


def test_second_head_that_does_not_come_ends_the_connection(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def scenario(opened: Open) -> None:
        reader, writer = await opened(b"GET / HTTP/1.1\r\n\r\n")
        await reader.readuntil(b"ok")
        monkeypatch.setattr(connection, "HEAD_S", 0.05)
        writer.write(b"G")
        assert b"408" in await reader.read()

    run(scenario)


def test_dripping_does_not_help(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "HEAD_S", 0.2)

    async def scenario(opened: Open) -> None:
        reader, writer = await opened(b"GET / HTTP/1.1\r\n")
        answer = asyncio.ensure_future(reader.read())
        with suppress(ConnectionError):
            while not answer.done():
                writer.write(b"X: y\r\n")
                await asyncio.sleep(0.01)
        with suppress(ConnectionError):  # who still sends may not get to read why
            assert b"408" in await answer

    run(scenario)


@pytest.mark.parametrize("pieces", [1, 100])
def test_large_head_is_refused(pieces: int) -> None:
    async def scenario(opened: Open) -> None:
        reader, writer = await opened(b"GET / HTTP/1.1\r\n")
        line = b"X-Long: " + b"y" * 500 + b"\r\n"
        with suppress(ConnectionError):
            for _ in range(pieces):
                writer.write(line * (100 // pieces))
                await asyncio.sleep(0)
            writer.write(b"\r\n")
            assert b" 431 " in await reader.read()

    run(scenario)


def test_idle_connection_is_closed() -> None:
    async def scenario(opened: Open) -> None:
        reader, _ = await opened(b"GET / HTTP/1.1\r\n\r\n")
        assert (await reader.read()).endswith(b"ok")

    run(scenario, idle_s=0)


def test_client_that_does_not_read_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "STALL_S", 0.05)

    async def scenario(opened: Open) -> None:
        _, writer = await opened(b"GET /large HTTP/1.1\r\n\r\n")
        writer.transport.pause_reading()  # type: ignore[attr-defined]  # of any socket
        while True:
            try:
                writer.write(b"x")
                await writer.drain()
            except ConnectionError:
                return
            await asyncio.sleep(0.01)

    run(scenario)


def test_refusal_of_a_body_can_be_read_before_the_connection_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(connection, "LINGER_S", 0.1)

    async def scenario(opened: Open) -> None:
        reader, writer = await opened(b"POST / HTTP/1.1\r\nContent-Length: 999999999\r\n\r\n")
        sent = 0
        with suppress(ConnectionError):
            while sent < 10**9:
                writer.write(b"x" * 1000)
                await writer.drain()
                sent += 1000
                await asyncio.sleep(0.001)
        assert sent < 10**9
        assert b" 413 " in reader._buffer  # type: ignore[attr-defined]  # read before the end

    run(scenario)


@pytest.mark.parametrize(
    "sent",
    [b"", b"GET /", b"POST /body HTTP/1.1\r\nContent-Length: 9\r\n\r\nx"],
    ids=["nothing", "half a head", "half a body"],
)
def test_newest_connection_takes_the_place_of_who_waits_longest(
    sent: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "MOST_CONNECTIONS", 3)

    async def scenario(opened: Open) -> None:
        first, *_ = [await opened(sent) for _ in range(3)]
        reader, _ = await opened(b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n")
        assert (await reader.read()).endswith(b"ok")
        with suppress(ConnectionError):
            assert await first[0].read() == b""

    run(scenario)


CHUNKED = b"POST /body HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.mark.parametrize(
    ("begun", "piece"),
    [
        (b"0\r\n", b"X-Long: " + b"y" * 500 + b"\r\n"),
        (b"0\r\nX-Long: ", b"y" * 500),
        (b"1;x=", b"y" * 500),
    ],
    ids=["trailers", "one trailer", "chunk extension"],
)
def test_what_is_around_a_body_is_bounded(begun: bytes, piece: bytes) -> None:
    async def scenario(opened: Open) -> None:
        reader, writer = await opened(CHUNKED + begun)
        sent = 0
        with suppress(ConnectionError):
            while not reader.at_eof() and sent < 10**8:
                writer.write(piece * 100)
                sent += 100 * len(piece)
                await writer.drain()
                await asyncio.sleep(0.001)
        assert sent < 10**8

    run(scenario)


def test_body_in_chunks_of_one_byte_is_read_to_its_end() -> None:
    async def scenario(opened: Open) -> None:
        last = b"0\r\nX-Trailer: y\r\n\r\n"
        reader, _ = await opened(CHUNKED + b"1\r\nx\r\n" * 50_000 + last)
        await reader.readuntil(b"read 50000")

    run(scenario)


@pytest.mark.parametrize(("count", "is_answered"), [(60, True), (20_000, False)])
def test_requests_sent_ahead_are_bounded(count: int, is_answered: bool) -> None:
    async def scenario(opened: Open) -> None:
        request = b"GET / HTTP/1.1\r\n\r\n"
        last = b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n"
        reader, _ = await opened(request * count + last)
        said = b""
        with suppress(ConnectionError):
            while piece := await reader.read(65536):
                said += piece
        assert (said.count(b" 200 OK") == count + 1) is is_answered

    run(scenario)
