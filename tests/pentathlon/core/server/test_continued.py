"""Long answers are put together from stretches, and end where the client has gone."""

import asyncio
import zlib

from pentathlon.core.server.continuations import HEADER, Continued
from pentathlon.core.server.protocol import Message, Receive, Scope, Send
from tests.pentathlon.core.server.asking import Answer, ask, scope_of

_PATH = "/api/v1/matches/history/tuned.ndjson"
_STRETCHES = (b"one\n", b"two\n", b"three\n")


class Site:
    """Answers with the stretch that the query asks for."""

    def __init__(self, *, breaks_at: int | None = None) -> None:
        self.asked: list[bytes] = []
        self._breaks_at = breaks_at

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        assert b"accept-encoding" not in dict(scope["headers"])
        assert (await receive())["type"] == "http.request"
        query = scope["query_string"]
        self.asked.append(query)
        number = int(query.partition(b"=")[2] or 0)
        following = b"" if number + 1 == len(_STRETCHES) else b"after=%d" % (number + 1)
        headers = [(HEADER.lower().encode(), following), (b"content-length", b"4")]
        status = 503 if number == self._breaks_at else 200
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": _STRETCHES[number]})


def test_stretches_come_as_one_answer() -> None:
    site = Site()

    answer = ask(Continued(site), scope_of(_PATH))

    assert (answer.status, answer.body) == (200, b"".join(_STRETCHES))
    assert answer.headers == {}
    assert site.asked == [b"", b"after=1", b"after=2"]


def test_stretches_are_packed_as_one_piece() -> None:
    packed = ask(Continued(Site()), scope_of(_PATH, headers=[("Accept-Encoding", "br, gzip")]))

    assert packed.headers["content-encoding"] == "gzip"
    first = zlib.decompressobj(wbits=31)
    assert first.decompress(packed.body) == b"".join(_STRETCHES)
    assert first.eof
    assert not first.unused_data


def test_head_asks_for_no_more_than_the_first_stretch() -> None:
    site = Site()

    answer = ask(Continued(site), scope_of(_PATH, method="HEAD"))

    assert (answer.status, answer.body) == (200, b"")
    assert site.asked == [b""]


def test_head_has_the_headers_of_a_get() -> None:
    packs = [("Accept-Encoding", "gzip")]

    head = ask(Continued(Site()), scope_of(_PATH, method="HEAD", headers=packs))

    assert head.body == b""
    assert head.headers == ask(Continued(Site()), scope_of(_PATH, headers=packs)).headers


def test_answer_ends_properly_only_if_it_is_whole() -> None:
    ends: list[bool] = []
    answer = Answer()

    async def take(part: Message) -> None:
        await answer.take(part)
        if part["type"] == "http.response.body":
            ends.append(not part.get("more_body", False))

    async def receive() -> Message:
        if not answer.status:
            return {"type": "http.request", "body": b"", "more_body": False}
        await asyncio.Event().wait()
        raise AssertionError

    asyncio.run(Continued(Site(breaks_at=1))(scope_of(_PATH), receive, take))

    assert (answer.status, answer.body) == (200, _STRETCHES[0])
    assert not any(ends)


def test_answer_pauses_where_stretches_come_too_fast() -> None:
    site = Site()
    refused: list[bytes] = []

    async def throttled(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["query_string"] != b"after=1" or refused:
            await site(scope, receive, send)
            return
        refused.append(scope["query_string"])
        headers = [(b"retry-after", b"0.01")]
        await send({"type": "http.response.start", "status": 429, "headers": headers})
        await send({"type": "http.response.body", "body": b"too many"})

    answer = ask(Continued(throttled), scope_of(_PATH))

    assert refused == [b"after=1"]
    assert answer.body == b"".join(_STRETCHES)


def test_nothing_comes_behind_a_stretch_that_was_cut_off() -> None:
    site = Site()

    async def cut_off(scope: Scope, receive: Receive, send: Send) -> None:
        async def but_for_the_end(part: Message) -> None:
            await send({**part, "more_body": True} if "body" in part else part)

        await site(scope, receive, but_for_the_end)

    answer = ask(Continued(cut_off), scope_of(_PATH))

    assert answer.body == _STRETCHES[0]
    assert site.asked == [b""]


def test_nothing_more_is_made_for_a_client_that_has_gone() -> None:
    site = Site()
    messages = [{"type": "http.request", "body": b"", "more_body": False}]

    async def receive() -> Message:
        return messages.pop() if messages else {"type": "http.disconnect"}

    async def take(part: Message) -> None:
        await asyncio.sleep(0)

    asyncio.run(Continued(site)(scope_of(_PATH), receive, take))

    assert site.asked == [b""]
