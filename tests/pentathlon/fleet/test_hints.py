"""The server waits for a hint on behalf of a worker."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from django.conf import settings
from redis import Redis

from pentathlon.fleet import hints
from pentathlon.fleet.hints import (
    HINT_HEADER,
    PAUSE_HEADER,
    QUEUE_HEADER,
    Hint,
    HintDesk,
    read_hint,
)

QUEUE = "test_hints"


def message(*match_ids: int) -> bytes:
    return told("play_matches", list(match_ids))


def told(task: str, argument: object) -> bytes:
    body = base64.b64encode(json.dumps([[argument], {}, {}]).encode()).decode()
    return json.dumps({"body": body, "headers": {"task": task}}).encode()


@pytest.fixture
def queue() -> Iterator[Redis]:
    client = Redis.from_url(str(settings.REDIS_URL))
    client.delete(QUEUE)
    yield client
    client.delete(QUEUE)
    client.close()


async def _site(scope: Any, receive: Any, send: Any) -> None:
    headers = [(b"content-type", b"application/json"), (b"content-length", b"17")]
    if scope["wait_s"] is not None:
        headers.append((scope["header"].lower().encode(), str(scope["wait_s"]).encode()))
    if scope["queue"] is not None:
        headers.append((QUEUE_HEADER.lower().encode(), scope["queue"].encode()))
    await send({"type": "http.response.start", "status": scope["status"], "headers": headers})
    await send({"type": "http.response.body", "body": b'{"match_ids": []}'})


def ask(
    *,
    wait_s: float | None,
    status: int = 200,
    is_gone: bool = False,
    header: str = HINT_HEADER,
    queue: str | None = None,
) -> Any:
    """Return status, headers and body of the answer."""
    sent: list[Any] = []

    async def receive() -> dict[str, str]:
        if not is_gone:
            await asyncio.sleep(3600)
        return {"type": "http.disconnect"}

    async def send(part: Any) -> None:
        sent.append(part)

    async def run() -> None:
        desk = HintDesk(_site, broker=settings.REDIS_URL, queues=["test_hints_first", QUEUE])
        scope = {"wait_s": wait_s, "status": status, "header": header, "queue": queue}
        await desk(scope, receive, send)
        if desk._client is not None:
            await desk._client.aclose()

    asyncio.run(run())
    return sent[0]["status"], dict(sent[0]["headers"]), json.loads(sent[1]["body"])


def test_waiting_hint_is_the_answer(queue: Redis) -> None:
    queue.lpush(QUEUE, message(7, 8), message(9))

    status, headers, body = ask(wait_s=60)

    assert (status, body) == (
        200,
        Hint(
            match_ids=(
                7,
                8,
            )
        ).to_json(),
    )
    assert HINT_HEADER.lower().encode() not in headers
    assert queue.llen(QUEUE) == 1


def test_answer_is_empty_when_nothing_comes(queue: Redis) -> None:
    assert ask(wait_s=0)[2] == Hint().to_json()


def test_worker_that_names_a_queue_leaves_the_others_alone(queue: Redis) -> None:
    queue.lpush(QUEUE, message(7))

    status, headers, body = ask(wait_s=0.01, queue="test_hints_first")

    assert (status, body) == (200, Hint().to_json())
    assert QUEUE_HEADER.lower().encode() not in headers
    assert queue.llen(QUEUE) == 1


def test_refusal_passes_as_it_is(queue: Redis) -> None:
    queue.lpush(QUEUE, message(7))

    assert ask(wait_s=None, status=401)[0] == 401
    assert queue.llen(QUEUE) == 1


def test_worker_that_has_gone_takes_no_hint(queue: Redis) -> None:
    ask(wait_s=60, is_gone=True)

    queue.lpush(QUEUE, message(7))

    assert queue.llen(QUEUE) == 1


@pytest.mark.parametrize(
    "broken",
    [b"", b"{}", b"[]", b'{"body": "x"}', b'{"body": "W10="}', b'{"body": 1}', b"\xff"],
    ids=repr,
)
def test_message_that_is_no_hint_names_nothing(broken: bytes) -> None:
    assert not read_hint(broken)


def test_hint_says_what_is_to_be_done() -> None:
    assert read_hint(told("move_bots", [4])) == Hint(friendly_ids=(4,))
    assert read_hint(told("analyse_match", 5)) == Hint(analysis_ids=(5,))
    assert not read_hint(told("drop_tables", [6]))


def test_worker_that_may_not_do_everything_leaves_the_queue_alone(queue: Redis) -> None:
    queue.lpush(QUEUE, message(7))

    status, headers, body = ask(wait_s=0.01, header=PAUSE_HEADER)

    assert (status, body) == (200, Hint().to_json())
    assert PAUSE_HEADER.lower().encode() not in headers
    assert queue.llen(QUEUE) == 1


def test_hint_is_read_as_celery_sends_it() -> None:
    from workers.celery_app import app  # noqa: PLC0415  # only this test needs it
    from workers.tasks import play_matches  # noqa: PLC0415

    with app.connection_for_write(url="memory://") as connection:
        channel = connection.default_channel
        play_matches.apply_async(
            ([1, 2, 3],),
            connection=connection,  # type: ignore[call-arg]  # the stubs forget it
            queue=QUEUE,
        )
        raw = channel._get(QUEUE)  # type: ignore[attr-defined]  # of virtual channels

    assert read_hint(json.dumps(raw).encode()) == Hint(
        match_ids=(
            1,
            2,
            3,
        )
    )


def test_hint_of_a_loan_names_its_analysis() -> None:
    arguments = json.dumps([[5], {"is_lent": True}, {}])
    body = base64.b64encode(arguments.encode()).decode()

    found = read_hint(json.dumps({"body": body, "headers": {"task": "analyse_match"}}).encode())

    assert found == Hint(lent_ids=(5,))


class Desk(HintDesk):
    """A desk whose queue gives a hint in the very moment in which it is asked."""

    taken = (QUEUE.encode(), b"{}")

    async def _pop(self, queues: Sequence[str], wait_s: float) -> tuple[bytes, bytes] | None:
        return self.taken


def wait_at(desk: HintDesk, *, is_gone: bool = False, wait_s: float = 60.0) -> Any:
    async def receive() -> dict[str, str]:
        if not is_gone:
            await asyncio.sleep(3600)
        return {"type": "http.disconnect"}

    async def run() -> Any:
        found = await desk._wait(wait_s, receive, queues=[QUEUE])
        if desk._client is not None:
            await desk._client.aclose()
        return found

    return asyncio.run(run())


def test_hint_for_a_worker_that_goes_meanwhile_is_left_to_others(queue: Redis) -> None:
    desk = Desk(_site, broker=settings.REDIS_URL, queues=[QUEUE])

    assert wait_at(desk, is_gone=True) is None

    assert queue.lrange(QUEUE, 0, -1) == [b"{}"]


def test_hint_that_cannot_be_put_back_is_no_error() -> None:
    desk = Desk(_site, broker="redis://127.0.0.1:1/0", queues=[QUEUE])

    assert wait_at(desk, is_gone=True) is None


@pytest.mark.parametrize("broker", [None, "redis://127.0.0.1:1/0"], ids=["none", "away"])
def test_site_without_its_queue_has_no_hints(broker: str | None) -> None:
    assert wait_at(HintDesk(_site, broker=broker, queues=[QUEUE]), wait_s=0.0) is None


def test_more_workers_than_there_is_room_for_do_not_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hints, "MOST_WAITING", 0)

    assert wait_at(Desk(_site, broker=settings.REDIS_URL, queues=[QUEUE])) is None


def test_server_that_stops_answers_all_who_wait() -> None:
    desk = HintDesk(_site, broker=None, queues=[])
    desk.close()

    async def receive() -> dict[str, str]:
        await asyncio.sleep(3600)
        return {"type": "http.disconnect"}

    async def run() -> Any:
        waiting = asyncio.create_task(desk._wait(3600.0, receive, queues=[]))
        await asyncio.sleep(0)
        desk.close()
        return await waiting

    assert asyncio.run(run()) is None
    assert desk._waiting == 0
