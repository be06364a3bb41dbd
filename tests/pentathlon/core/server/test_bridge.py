"""Requests get threads when they are here, and answers are made before they are sent."""

import asyncio
import io
import threading
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any
from wsgiref.util import FileWrapper

import pytest

from pentathlon.core.server import bodies, bridge, limits
from pentathlon.core.server.bridge import Bridge
from pentathlon.core.server.limits import LARGEST_FORM, LARGEST_UPLOAD, ThreadGroup
from pentathlon.core.server.protocol import Environ, Message
from tests.patience import PATIENCE_S
from tests.pentathlon.core.server.asking import Answer, ask, ask_async, scope_of


def echo(environ: Environ, start_response: Any) -> Iterable[bytes]:
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [environ["wsgi.input"].read()]


def test_body_in_pieces_is_read_whole() -> None:
    answer = ask(Bridge(echo), scope_of("/", method="POST"), [b"ab", b"", b"cd"])

    assert (answer.status, answer.body) == (200, b"abcd")
    assert answer.headers["content-length"] == "4"


@pytest.mark.parametrize(
    ("path", "kind"),
    [("/sign-in/", "text/html; charset=utf-8"), ("/api/v1/x/", "application/problem+json")],
)
def test_announced_body_that_is_too_large_is_refused_unread(path: str, kind: str) -> None:
    announced = [("Content-Length", str(limits.LARGEST_BODY + 1))]

    answer = ask(Bridge(echo), scope_of(path, method="POST", headers=announced), [b"x", b"x"])

    assert answer.status == 413
    assert answer.headers["content-type"] == kind


def test_body_that_grows_too_large_is_refused() -> None:
    pieces = [b"x" * 16_000] * 5

    answer = ask(Bridge(echo), scope_of("/sign-in/", method="POST"), pieces)

    assert answer.status == 413
    assert f"{LARGEST_FORM:,} are allowed" in answer.body.decode()


def test_upload_of_the_largest_size_is_let_in() -> None:
    pieces = [b"x" * 65_536] * (LARGEST_UPLOAD // 65_536)

    answer = ask(Bridge(echo), scope_of("/api/v1/bots/", method="POST"), pieces)

    assert (answer.status, len(answer.body)) == (200, LARGEST_UPLOAD)


def test_body_that_does_not_come_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    impatient = replace(limits.allowance("/"), body_s=0.01)
    monkeypatch.setattr(bridge, "allowance", lambda path: impatient)

    async def never() -> Message:
        await asyncio.Event().wait()
        raise AssertionError

    answer = Answer()
    asyncio.run(Bridge(echo)(scope_of("/", method="POST"), never, answer.take))

    assert (answer.status, answer.headers["connection"]) == (408, "close")


def test_waiting_bodies_hold_no_thread() -> None:
    async def never() -> Message:
        await asyncio.Event().wait()
        raise AssertionError

    async def scenario() -> Answer:
        site = Bridge(echo)
        lost = [
            asyncio.ensure_future(site(scope_of("/", method="POST"), never, Answer().take))
            for _ in range(50)
        ]
        answer = await asyncio.wait_for(ask_async(site, scope_of("/")), PATIENCE_S)
        for task in lost:
            task.cancel()
        return answer

    assert asyncio.run(scenario()).status == 200


def test_client_that_does_not_read_holds_no_thread() -> None:
    def large(environ: Environ, start_response: Any) -> Iterable[bytes]:
        start_response("200 OK", [])
        return iter([b"x" * 65_536] * 10)

    async def deaf(message: Message) -> None:
        await asyncio.Event().wait()

    async def scenario() -> Answer:
        site = Bridge(large)
        deaf_ones = [
            asyncio.ensure_future(site(scope_of("/"), _one_body(), deaf)) for _ in range(30)
        ]
        answer = await asyncio.wait_for(ask_async(site, scope_of("/")), PATIENCE_S)
        for task in deaf_ones:
            task.cancel()
        await asyncio.wait(deaf_ones)
        return answer

    assert asyncio.run(scenario()).status == 200


def _one_body() -> Any:
    left = [{"type": "http.request", "body": b"", "more_body": False}]

    async def receive() -> Message:
        if left:
            return left.pop()
        await asyncio.Event().wait()
        raise AssertionError

    return receive


def test_few_uploads_run_at_a_time() -> None:
    running, most, lock = [0], [0], threading.Lock()

    def counted(environ: Environ, start_response: Any) -> Iterable[bytes]:
        with lock:
            running[0] += 1
            most[0] = max(most[0], running[0])
        threading.Event().wait(0.02)
        with lock:
            running[0] -= 1
        start_response("200 OK", [])
        return [b""]

    async def scenario() -> None:
        site = Bridge(counted)
        upload = scope_of("/api/v1/bots/", method="POST")
        await asyncio.gather(*(ask_async(site, upload) for _ in range(10)))

    asyncio.run(scenario())

    assert most[0] <= limits.THREADS[ThreadGroup.UPLOADS]


def test_endless_queue_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bridge, "MOST_WAITING", 1)
    served = limits.THREADS[ThreadGroup.UPLOADS] + 1
    enough = threading.Event()

    def slow(environ: Environ, start_response: Any) -> Iterable[bytes]:
        enough.wait(PATIENCE_S)
        start_response("200 OK", [])
        return [b""]

    async def scenario() -> list[Answer]:
        site = Bridge(slow)
        tasks = [
            asyncio.ensure_future(ask_async(site, scope_of("/bots/new/", method="POST")))
            for _ in range(served + 1)
        ]
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        enough.set()
        return list(await asyncio.gather(*tasks))

    answers = asyncio.run(scenario())

    assert sorted(answer.status for answer in answers) == [200] * served + [503]
    assert [a.headers["retry-after"] for a in answers if a.status == 503] == ["5"]


def test_failure_halfway_is_a_clean_refusal() -> None:
    def broken(environ: Environ, start_response: Any) -> Iterator[bytes]:
        start_response("200 OK", [])
        yield b"begun"
        raise RuntimeError("secret")

    answer = ask(Bridge(broken), scope_of("/"))

    assert answer.status == 500
    assert b"secret" not in answer.body
    assert b"begun" not in answer.body


def test_temporary_files_have_a_limit_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bridge, "BODIES", room := bodies.Room(limits.MEGABYTE))

    answer = ask(Bridge(echo), scope_of("/bots/new/", method="POST"), [b"x" * 60_000] * 40)

    assert (answer.status, answer.headers["retry-after"]) == (503, "5")
    assert ask(Bridge(echo), scope_of("/"), [b"x"]).status == 200
    assert room.taken == 0


def test_slow_readers_take_no_room_from_uploads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bridge, "ANSWERS", bodies.Room(limits.MEGABYTE))

    def large(environ: Environ, start_response: Any) -> Iterable[bytes]:
        start_response("200 OK", [])
        return [b"x" * 900_000] if environ["REQUEST_METHOD"] == "GET" else [b"taken"]

    async def scenario() -> tuple[Answer, Answer]:
        site, is_sent = Bridge(large), asyncio.Event()

        async def deaf(message: Message) -> None:
            is_sent.set()
            await asyncio.Event().wait()

        slow = asyncio.ensure_future(site(scope_of("/"), _one_body(), deaf))
        await is_sent.wait()
        table = await ask_async(site, scope_of("/"))
        upload = await ask_async(site, scope_of("/bots/new/", method="POST"), [b"x" * 60_000] * 20)
        slow.cancel()
        await asyncio.wait([slow])
        return table, upload

    table, upload = asyncio.run(scenario())

    assert (table.status, table.headers["retry-after"]) == (503, "5")
    assert (upload.status, upload.body) == (200, b"taken")


def test_answer_that_is_read_too_slowly_gives_its_room_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bridge, "ANSWERS", room := bodies.Room(limits.MEGABYTE))
    monkeypatch.setattr(bridge, "STALL_S", 0.0)
    monkeypatch.setattr(bridge, "SLOWEST_READER", 100_000_000)

    def large(environ: Environ, start_response: Any) -> Iterable[bytes]:
        start_response("200 OK", [])
        return [b"x" * 900_000]

    sent: list[Message] = []

    async def slow(message: Message) -> None:
        sent.append(message)
        await asyncio.sleep(0.005)  # each piece in time, all of them too late

    asyncio.run(Bridge(large)(scope_of("/"), _one_body(), slow))

    assert 0 < len(sent) < 15
    assert room.taken == 0


def test_file_is_read_while_it_is_sent_and_closed_after() -> None:
    file = io.BytesIO(b"x" * 200_000)

    def static(environ: Environ, start_response: Any) -> Iterable[bytes]:
        start_response("200 OK", [("Content-Length", "200000")])
        return FileWrapper(file)

    answer = ask(Bridge(static), scope_of("/static/x.js"))

    assert len(answer.body) == 200_000
    assert file.closed


def test_head_has_no_body() -> None:
    answer = ask(Bridge(echo), scope_of("/", method="HEAD"), [b"abcd"])

    assert (answer.status, answer.body) == (200, b"")


def test_environ_says_what_was_asked() -> None:
    seen: Environ = {}

    def look(environ: Environ, start_response: Any) -> Iterable[bytes]:
        seen.update(environ)
        start_response("200 OK", [])
        return [b""]

    headers = [("X-One", "a"), ("X-One", "b"), ("Content-Type", "text/x")]
    ask(Bridge(look), scope_of("/grüße/?q=1", method="POST", headers=headers), [b"abc"])

    assert seen["PATH_INFO"].encode("latin-1").decode() == "/grüße/"
    assert (seen["QUERY_STRING"], seen["REMOTE_ADDR"]) == ("q=1", "10.3.2.1")
    assert (seen["HTTP_X_ONE"], seen["CONTENT_TYPE"], seen["CONTENT_LENGTH"]) == (
        *("a,b", "text/x"),
        "3",
    )


def test_body_reader_tells_of_a_client_that_has_gone() -> None:
    async def gone() -> Message:
        return {"type": "http.disconnect"}

    body = bodies.Spool(bodies.BODIES)
    allowed = limits.allowance("/")
    with pytest.raises(bodies.ClientGone):
        asyncio.run(bodies.read_body(scope_of("/"), gone, allowed=allowed, into=body))
    body.close()
