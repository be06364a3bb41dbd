"""Streams of one process: who hears what, how many may, and what is left when they go."""

import asyncio
import gzip
import json
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager
from typing import Any

import pytest
from django.db import OperationalError
from redis import Redis

from pentathlon.core.server.protocol import Message, Receive, Scope, Send
from pentathlon.live import hub
from pentathlon.live.frames import LOOK, Frame, frame_key, match_channel
from pentathlon.live.hub import Hub
from pentathlon.live.messages import Packing, message
from pentathlon.live.snapshots import HEADER, MatchNow, PageKind, PageNow, Snapshot, Ticket, View
from pentathlon.live.streams import Streams
from pentathlon_engines.cli.client.http_site import ServerEvent, read_events
from tests.patience import PATIENCE_S
from tests.pentathlon.core.server.asking import Answer, ask, scope_of

_ADDRESS = "/live/matches/5/"


@pytest.fixture(autouse=True)
def _busy_broker_is_not_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub, "ANSWER_S", PATIENCE_S)
    monkeypatch.setattr(hub, "ANSWER_S", PATIENCE_S)


def frame(ply: int, *, attempt: int = 1) -> Frame:
    return Frame(
        attempt=attempt,
        ply=ply,
        to_move=0,
        cpu_ms=[ply, 0],
        limit_ms=20_000,
        events=[[index % 2, f"step {index}", 1] for index in range(ply)],
        position={"ply": ply},
        svg=f"<svg>{ply}</svg>",
        text=f"board {ply}",
        said=[],
    )


def page_now(state: str, mark: str) -> PageNow:
    return PageNow(kind=PageKind.TOURNAMENT, pk=8, state=state, mark=mark)


class Database:
    """What the database says; tests change it."""

    def __init__(self, state: str = "running") -> None:
        self.now = MatchNow(match=5, state=state, attempt=1, ply=0)
        self.page = page_now("running", "a")
        self.looks = 0

    def __call__(
        self, matches: Collection[int], pages: Collection[tuple[PageKind, int]]
    ) -> Snapshot:
        self.looks += 1
        return Snapshot(
            matches=dict.fromkeys(matches, self.now),
            pages=dict.fromkeys(pages, self.page),
        )


class Client:
    """One connection: what has come, and the means to hang up."""

    def __init__(self, streams: Streams, *, headers: dict[str, str] | None = None) -> None:
        self.answer = Answer()
        self._gone = asyncio.Event()
        self.task = asyncio.create_task(
            self._run(streams, scope_of(_ADDRESS, headers=list((headers or {}).items())))
        )

    async def _run(self, streams: Streams, scope: Scope) -> None:
        async def receive() -> Message:
            await self._gone.wait()
            return {"type": "http.disconnect"}

        await streams(scope, receive, self.answer.take)

    def events(self) -> list[ServerEvent]:
        return list(read_events(self.answer.body.decode().splitlines(keepends=True)))

    def names(self) -> list[str]:
        return [event.name for event in self.events()]

    async def hang_up(self) -> None:
        self._gone.set()
        await self.task


def asked(now: MatchNow) -> dict[str, object]:
    return {"match": 5, "state": now.state, "attempt": now.attempt, "ply": now.ply}


def site_with(ticket: Ticket) -> Callable[..., Any]:
    """Return an application that tickets a stream, as a view does."""

    async def site(scope: Scope, receive: Receive, send: Send) -> None:
        headers = [(b"content-type", b"text/event-stream"), (b"content-length", b"3")]
        headers.append((HEADER.lower().encode(), ticket.to_header().encode()))
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"old"})

    return site


@asynccontextmanager
async def streaming(
    database: Database, *, url: str | None = None, ticket: Ticket | None = None, **limits: Any
) -> AsyncIterator[Streams]:
    wanted = ticket or Ticket(who="address 1", matches=(5,), view=View.TEXT)
    facts: dict[str, Any] = {"most_a_person": 1000, "look_s": 0.05, **limits}
    streams = Streams(site_with(wanted), lambda: Hub(broker=url, read=database, **facts))
    yield streams
    streams.close()


async def until(is_true: Callable[[], object]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not is_true():  # noqa: ASYNC110  not all of it happens in this loop
            await asyncio.sleep(0.005)


def publish(url: str, data: bytes, *, attempt: int = 1) -> None:
    with Redis.from_url(url) as client:
        if data != LOOK:
            client.set(frame_key(5, attempt), data)
        client.publish(match_channel(5), data)


def test_two_hundred_listeners_cost_one_subscription_and_leave_nothing(broker: str) -> None:
    async def scenario() -> tuple[int, int, list[list[str]]]:
        with Redis.from_url(broker) as redis:
            async with streaming(Database(), url=broker) as streams:
                clients = [Client(streams) for _ in range(200)]
                await until(lambda: redis.pubsub_numsub(match_channel(5))[0][1])
                publish(broker, frame(3).pack())
                await until(lambda: all("plies" in client.names() for client in clients))
                ((_, subscribed),) = redis.pubsub_numsub(match_channel(5))
                connections = len(redis.client_list(_type="pubsub"))
                await asyncio.gather(*(client.hang_up() for client in clients))
                await until(lambda: not redis.client_list(_type="pubsub"))
                assert (streams.hub.listeners, streams.hub.topics) == (0, 0)
                return int(subscribed), connections, [client.names() for client in clients]

    subscribed, connections, heard = asyncio.run(scenario())

    assert (subscribed, connections) == (1, 1)
    assert heard == [["state", "plies"]] * 200


def test_each_ply_is_told_once_and_the_end_is_the_last_word(broker: str) -> None:
    database = Database()

    async def scenario() -> Client:
        async with streaming(database, url=broker) as streams:
            client = Client(streams)
            publish(broker, frame(2).pack())
            await until(lambda: "plies" in client.names())
            publish(broker, frame(5).pack())
            await until(lambda: client.names().count("plies") == 2)
            database.now = MatchNow(match=5, state="done", attempt=1, ply=6)
            publish(broker, LOOK)
            await client.task
            return client

    client = asyncio.run(scenario())

    _, one, other, end = client.events()
    assert [text for _, text, _ in one.data["events"] + other.data["events"]] == [
        f"step {index}" for index in range(5)
    ]
    assert (other.data["first"], other.data["text"], other.id) == (2, "board 5", "1-5")
    assert (end.name, end.data) == ("end", {"match": 5, "state": "done", "attempt": 1, "ply": 6})


def test_who_comes_back_misses_nothing_and_hears_nothing_twice(broker: str) -> None:
    async def scenario(seen: str) -> ServerEvent:
        ticket = Ticket(who="address 1", matches=(5,), seen=seen)
        async with streaming(Database(), url=broker, ticket=ticket) as streams:
            publish(broker, frame(6).pack())
            client = Client(streams)
            await until(lambda: "plies" in client.names())
            await client.hang_up()
            return client.events()[-1]

    assert [row[1] for row in asyncio.run(scenario("1-4")).data["events"]] == ["step 4", "step 5"]
    assert asyncio.run(scenario("1-6")).data["events"] == []
    assert len(asyncio.run(scenario("0-9")).data["events"]) == 6
    assert len(asyncio.run(scenario("nonsense")).data["events"]) == 6


class Two(Database):
    """What the database says of two running matches."""

    def __call__(
        self, matches: Collection[int], pages: Collection[tuple[PageKind, int]]
    ) -> Snapshot:
        now = {pk: MatchNow(match=pk, state="running", attempt=1) for pk in matches}
        return Snapshot(matches=now, pages={})


def _hear_two(broker: str, *, seen: str) -> str:
    """Follow two matches that are at ply 3 and 6, and return what was sent."""

    async def scenario() -> str:
        ticket = Ticket(who="address 1", matches=(5, 6), seen=seen, names_matches=True)
        async with streaming(Two(), url=broker, ticket=ticket) as streams:
            with Redis.from_url(broker) as redis:
                for match_id, ply in ((5, 3), (6, 6)):
                    redis.set(frame_key(match_id, 1), frame(ply).pack())
            client = Client(streams)
            await until(lambda: client.names().count("plies") == 2)
            await client.hang_up()
            return client.answer.body.decode()

    return asyncio.run(scenario())


def _plies_of(text: str) -> dict[int, int]:
    events = read_events(text.splitlines(keepends=True))
    plies = [each.data for each in events if each.name == "plies"]
    return {told["match"]: len(told["events"]) for told in plies}


def test_who_comes_back_to_several_matches_misses_nothing_of_any(broker: str) -> None:
    text = _hear_two(broker, seen="")
    (*_, mark) = [line for line in text.splitlines() if line.startswith("id: ")]

    assert mark == "id: 5:1-3,6:1-6"
    assert _plies_of(text) == {5: 3, 6: 6}
    assert _plies_of(_hear_two(broker, seen="5:1-1,6:1-6")) == {5: 2, 6: 0}
    assert _plies_of(_hear_two(broker, seen="6:1-4")) == {5: 3, 6: 2}
    assert _plies_of(_hear_two(broker, seen="1-3")) == {5: 3, 6: 6}


def test_new_attempt_begins_anew_and_the_lost_one_is_not_heard(broker: str) -> None:
    database = Database()

    async def scenario() -> list[ServerEvent]:
        async with streaming(database, url=broker) as streams:
            client = Client(streams)
            publish(broker, frame(9).pack())
            await until(lambda: "plies" in client.names())
            database.now = MatchNow(match=5, state="running", attempt=2, ply=0)
            publish(broker, frame(1, attempt=2).pack(), attempt=2)
            await until(lambda: client.names().count("plies") == 2)
            publish(broker, frame(12).pack())  # its worker has not heard yet
            publish(broker, frame(2, attempt=2).pack(), attempt=2)
            await until(lambda: client.names().count("plies") == 3)
            await client.hang_up()
            return [event for event in client.events() if event.name == "plies"]

    heard = asyncio.run(scenario())

    places = [(each.data["attempt"], each.data["first"], each.data["ply"]) for each in heard]
    assert places == [(1, 0, 9), (2, 0, 1), (2, 1, 2)]


def test_match_that_becomes_hidden_is_over_for_all_but_its_organiser(broker: str) -> None:
    hidden = MatchNow(match=5, state="running", attempt=1, ply=3, is_hidden=True)

    async def scenario(*, is_private: bool) -> list[ServerEvent]:
        database = Database()
        ticket = Ticket(who="person 1", matches=(5,), private=(5,) if is_private else ())
        async with streaming(database, url=broker, ticket=ticket) as streams:
            client = Client(streams)
            await until(client.names)
            database.now = hidden
            publish(broker, LOOK)
            publish(broker, frame(4).pack())
            if is_private:
                await until(lambda: any(each.data.get("ply") == 3 for each in client.events()))
                await client.hang_up()
            await client.task
            return client.events()

    assert asyncio.run(scenario(is_private=False))[-1].data["state"] == "hidden"
    watched = asyncio.run(scenario(is_private=True))
    assert {each.name for each in watched} == {"state"}


def test_without_a_broker_the_database_tells_how_far_it_is() -> None:
    database = Database("pending")

    async def scenario() -> list[ServerEvent]:
        async with streaming(database) as streams:
            client = Client(streams)
            await until(client.names)
            for state, ply in (("running", 0), ("running", 7), ("done", 9)):
                database.now = MatchNow(match=5, state=state, attempt=1, ply=ply)
                await until(lambda: client.events()[-1].data == asked(database.now))
            await client.task
            return client.events()

    heard = asyncio.run(scenario())

    assert [(each.name, each.data["ply"]) for each in heard] == [
        ("state", 0),
        ("state", 0),
        ("state", 7),
        ("end", 9),
    ]


def test_database_that_is_away_ends_no_stream() -> None:
    database = Database()
    fails = [3]

    def read(matches: Collection[int], pages: Collection[tuple[PageKind, int]]) -> Snapshot:
        if fails[0]:
            fails[0] -= 1
            raise OperationalError("gone")
        return database(matches, pages)

    async def scenario() -> list[str]:
        wanted = Ticket(who="address 1", matches=(5,))
        hub_of = lambda: Hub(broker=None, most_a_person=9, read=read, look_s=0.01)  # noqa: E731
        client = Client(Streams(site_with(wanted), hub_of))
        await until(client.names)
        await client.hang_up()
        return client.names()

    assert asyncio.run(scenario()) == ["state"]


@pytest.mark.parametrize(
    ("limits", "status", "code"),
    [({"most_a_person": 2}, 429, "too_many_streams"), ({"most": 2}, 503, "busy")],
)
def test_more_streams_than_allowed_are_refused_and_places_come_back(
    limits: dict[str, Any], status: int, code: str
) -> None:
    async def scenario() -> tuple[Answer, Answer]:
        async with streaming(Database(), **limits) as streams:
            clients = [Client(streams) for _ in range(2)]
            await until(lambda: all(client.names() for client in clients))
            refused = Client(streams)
            await refused.task
            await clients[0].hang_up()
            again = Client(streams)
            await until(again.names)
            return refused.answer, again.answer

    refused, again = asyncio.run(scenario())

    assert (refused.status, refused.headers["retry-after"], again.status) == (status, "30", 200)
    assert b"Try again" in refused.body or b"try again" in refused.body


def test_listener_that_does_not_read_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pentathlon.live.streams.STALL_S", 0.05)

    async def scenario() -> int:
        async def deaf(part: Message) -> None:
            if part["type"] == "http.response.body":
                await asyncio.Event().wait()

        async def silent() -> Message:
            await asyncio.Event().wait()
            raise AssertionError

        async with streaming(Database()) as streams:
            await streams(scope_of(_ADDRESS), silent, deaf)
            return streams.hub.listeners

    assert asyncio.run(scenario()) == 0


def test_server_that_stops_ends_all_streams() -> None:
    async def scenario() -> list[bool]:
        async with streaming(Database()) as streams:
            clients = [Client(streams) for _ in range(3)]
            await until(lambda: all(client.names() for client in clients))
            streams.close()
            await asyncio.gather(*(client.task for client in clients))
            return [client.task.done() for client in clients]

    assert asyncio.run(scenario()) == [True] * 3


def test_silence_is_broken_by_heartbeats(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pentathlon.live.streams.HEARTBEAT_S", 0.02)

    async def scenario() -> bytes:
        async with streaming(Database()) as streams:
            client = Client(streams)
            await until(lambda: client.answer.body.count(b"\n: still here") >= 2)
            await client.hang_up()
            return client.answer.body

    assert asyncio.run(scenario()).startswith(b"retry: 2000\n\n")


def test_packed_stream_is_one_gzip_file_that_can_be_read_from_its_start(broker: str) -> None:
    database = Database()

    async def scenario() -> Answer:
        async with streaming(database, url=broker) as streams:
            client = Client(streams, headers={"Accept-Encoding": "br, gzip"})
            publish(broker, frame(3).pack())
            size = 0
            await until(lambda: len(client.answer.body) > 60)
            size = len(client.answer.body)
            database.now = MatchNow(match=5, state="done", attempt=1, ply=6)
            publish(broker, LOOK)
            await client.task
            assert len(client.answer.body) > size
            return client.answer

    answer = asyncio.run(scenario())

    assert answer.headers["content-encoding"] == "gzip"
    assert "content-length" not in answer.headers
    assert HEADER.lower() not in answer.headers
    names = [each.name for each in read_events(_lines(gzip.decompress(answer.body)))]
    assert names[0] == "state"
    assert names[-1] == "end"


def test_packed_parts_are_made_once_for_all() -> None:
    part = message("plies", {"svg": "<rect/>" * 3000})
    one, other = Packing(), Packing()

    streams = [packing.begin() + packing.add(part) + packing.end() for packing in (one, other)]

    assert part.packed is part.packed
    assert len(part.packed) < len(part.plain) / 20
    assert [gzip.decompress(stream) for stream in streams] == [part.plain] * 2


def test_tournament_is_told_of_at_every_change_until_its_end() -> None:
    database = Database()

    async def scenario() -> list[ServerEvent]:
        ticket = Ticket(who="address 1", page=(PageKind.TOURNAMENT, 8), seen="a")
        async with streaming(database, ticket=ticket) as streams:
            client = Client(streams)
            await until(lambda: database.looks > 1)
            assert client.names() == []
            database.page = page_now("running", "b")
            await until(client.names)
            database.page = page_now("closed", "c")
            await client.task
            return client.events()

    assert [(each.name, each.id) for each in asyncio.run(scenario())] == [
        ("changed", "b"),
        ("end", "c"),
    ]


def test_answer_without_a_ticket_is_passed_on() -> None:
    async def site(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 404, "headers": []})
        await send({"type": "http.response.body", "body": json.dumps("no").encode()})

    async def scenario() -> Answer:
        answer = Answer()
        streams = Streams(site, lambda: pytest.fail("no hub is needed"))
        await streams(scope_of(_ADDRESS), lambda: pytest.fail("not read"), answer.take)
        return answer

    assert asyncio.run(scenario()).status == 404


@pytest.mark.parametrize("encodings", ["", "gzip"])
def test_head_of_a_stream_tells_nothing_and_ends(encodings: str) -> None:
    async def site(scope: Scope, receive: Receive, send: Send) -> None:
        ticket = Ticket(who="address 10.0.0.1", matches=(5,), private=(5,))
        headers = [
            (b"content-type", b"text/event-stream"),
            (b"content-length", b"11"),
            (HEADER.lower().encode(), ticket.to_header().encode()),
        ]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b""})

    streams = Streams(site, lambda: pytest.fail("no hub is needed"))
    scope = scope_of(_ADDRESS, method="HEAD", headers=[("Accept-Encoding", encodings)])

    answer = ask(streams, scope)

    packing = {"content-encoding": "gzip"} if encodings else {}
    assert answer.headers == {"content-type": "text/event-stream", **packing}
    assert (answer.status, answer.body) == (200, b"")


def _lines(data: bytes) -> list[str]:
    return data.decode().splitlines(keepends=True)
