"""The server lets a worker wait for a hint, and Celery's own code makes the hints."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from kombu import Connection

from pentathlon.fleet import hints
from pentathlon.fleet.announcements import ANALYSE_MATCH, MOVE_BOTS, PLAY_MATCHES
from pentathlon.fleet.hints import PAUSE_HEADER, HintDesk, messages
from pentathlon.fleet.queues import FRIENDLIES, MATCHES
from workers.tasks import play_matches

BODY = b'{"messages": []}'


def desk_of(*, wait_s: float | None, status: int = 200) -> HintDesk:
    async def site(scope: Any, receive: Any, send: Any) -> None:
        headers = [(b"content-type", b"application/json"), (b"content-length", b"16")]
        if wait_s is not None:
            headers.append((PAUSE_HEADER.lower().encode(), str(wait_s).encode()))
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": BODY})

    return HintDesk(site)


async def ask(desk: HintDesk, *, is_gone: bool = False) -> list[Any]:
    """Return the parts of the answer."""
    sent: list[Any] = []

    async def receive() -> dict[str, str]:
        if not is_gone:
            await asyncio.sleep(3600)
        return {"type": "http.disconnect"}

    async def send(part: Any) -> None:
        sent.append(part)

    await desk({}, receive, send)
    return sent


@pytest.mark.parametrize("wait_s", [0.01, None], ids=["waits", "knows at once"])
def test_answer_comes_as_it_was_made(wait_s: float | None) -> None:
    start, body = asyncio.run(ask(desk_of(wait_s=wait_s)))

    assert (start["status"], body["body"]) == (200, BODY)
    assert dict(start["headers"]) == {
        b"content-type": b"application/json",
        b"content-length": b"16",
    }


def test_refusal_passes_as_it_is() -> None:
    start, _ = asyncio.run(ask(desk_of(wait_s=None, status=401)))

    assert start["status"] == 401


def test_worker_that_hangs_up_waits_no_longer() -> None:
    asyncio.run(asyncio.wait_for(ask(desk_of(wait_s=3600), is_gone=True), 60))


def test_more_workers_than_there_is_room_for_do_not_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hints, "MOST_WAITING", 0)

    asyncio.run(asyncio.wait_for(ask(desk_of(wait_s=3600)), 60))


def test_server_that_stops_answers_all_who_wait() -> None:
    desk = desk_of(wait_s=3600)
    desk.close()

    async def run() -> list[Any]:
        waiting = asyncio.create_task(ask(desk))
        # Two turns of the loop: one reaches the site, one begins to wait.
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        desk.close()
        return await asyncio.wait_for(waiting, 60)

    assert len(asyncio.run(run())) == 2
    assert desk._waiting == 0


def test_message_is_what_celery_would_put_into_the_queue() -> None:
    with Connection("memory://") as connection:
        play_matches.apply_async(
            ([1, 2],),
            connection=connection,
            queue="test_hints",
        )
        put = connection.default_channel._get("test_hints")  # type: ignore[attr-defined]

    (made,) = messages([(PLAY_MATCHES, [1, 2], {})])

    message = json.loads(json.dumps(made["message"]))
    assert message["body"] == put["body"]
    assert message["headers"].keys() == put["headers"].keys()
    assert message["headers"]["task"] == "play_matches"
    assert made["queue"] == MATCHES


def test_each_message_is_for_the_queue_of_its_task() -> None:
    made = messages([(MOVE_BOTS, [1], {}), (ANALYSE_MATCH, [2], {"is_lent": True})])

    assert [each["queue"] for each in made] == [FRIENDLIES, MATCHES]
