"""The hub: everybody who follows something through this process, and their news."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any, Final, TypeVar

import structlog
from django.db import DatabaseError, InterfaceError, OperationalError, close_old_connections
from redis.asyncio import Redis
from redis.exceptions import RedisError

from pentathlon.core.server.limits import MOST_STREAMS
from pentathlon.core.server.protocol import Refused, busy
from pentathlon.live.frames import frame_key
from pentathlon.live.messages import StreamEvent, message
from pentathlon.live.snapshots import PageKind, Snapshot, Ticket, read_snapshot
from pentathlon.live.topics import Cursor, MatchCursor, MatchTopic, PageCursor, PageTopic

AGAIN_S: Final = 1.0
"""Seconds to wait before another attempt when the broker has not answered."""
ANSWER_S: Final = 2.0

Hear = Callable[[str, bytes], None]
"""A function that takes a channel and what came there."""

_log = structlog.stdlib.get_logger(__name__)
LOOK_S: Final = 2.0
"""Seconds between two looks at the database, in case the broker loses a hint."""
SOON_S: Final = 0.1
"""Seconds between a hint and the look that it asks for: one look serves several hints."""
RETRY_S: Final = 30
Topic = MatchTopic | PageTopic
T = TypeVar("T", MatchTopic, PageTopic)
Read = Callable[[Collection[int], Collection[tuple[PageKind, int]]], Snapshot]


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


class Listener:
    """One open stream."""

    def __init__(self, cursors: Sequence[Cursor], *, names_matches: bool = False) -> None:
        self._cursors = cursors
        self._names_matches = names_matches
        self.news = asyncio.Event()

    @property
    def is_over(self) -> bool:
        """Whether no more messages will come."""
        return all(cursor.is_over for cursor in self._cursors)

    def take(self) -> list[StreamEvent]:
        """Return the messages that are new to the client; a slow reader misses outdated ones."""
        self.news.clear()
        news = [each for cursor in self._cursors for each in cursor.take()]
        if news and self._names_matches and (mark := self._mark()):
            # Messages are shared by all listeners, but each has its own place in each match.
            news.append(message(event_id=mark))
        return news

    def _mark(self) -> str:
        marks = (cursor.mark for cursor in self._cursors if isinstance(cursor, MatchCursor))
        return ",".join(mark for mark in marks if mark)


class Hub:
    """Carries news from the broker and the database to all listeners of this process."""

    def __init__(
        self,
        *,
        broker: str | None,
        most_a_person: int,
        most: int = MOST_STREAMS,
        read: Read = read_snapshot,
        look_s: float = LOOK_S,
    ) -> None:
        self._broker = broker
        self._most = most
        self._most_a_person = most_a_person
        self._read = read
        self._look_s = look_s
        self._feed: Feed | None = None
        self._topics: dict[str, Topic] = {}
        self._following: dict[str, set[Listener]] = {}
        self._people: Counter[str] = Counter()
        self._looker: asyncio.Task[None] | None = None
        self._look_now = asyncio.Event()
        self._threads = ThreadPoolExecutor(max_workers=1, thread_name_prefix="live")
        self.is_closing = False

    @property
    def listeners(self) -> int:
        """The number of open streams."""
        return self._people.total()

    @property
    def topics(self) -> int:
        """The number of things that are followed."""
        return len(self._topics)

    @contextmanager
    def listen(self, ticket: Ticket) -> Iterator[Listener]:
        """Follow what the ticket names until the context is left.

        Raises:
            Refused: `too_many_streams` (429) of one person, or `busy` (503).
        """
        if self.listeners >= self._most or self.is_closing:
            raise busy("Too many streams are open here. Try again later.", retry_after_s=RETRY_S)
        if self._people[ticket.who] >= self._most_a_person:
            raise Refused(
                HTTPStatus.TOO_MANY_REQUESTS,
                "too_many_streams",
                f"You have {self._most_a_person} streams open. Close one, or try again later.",
                headers=(("Retry-After", str(RETRY_S)),),
            )
        topics, cursors = self._places(ticket)
        listener = Listener(cursors, names_matches=ticket.names_matches)
        self._people[ticket.who] += 1
        for topic in topics:
            self._following[topic.channel].add(listener)
        try:
            yield listener
        finally:
            self._people[ticket.who] -= 1
            self._people += Counter()  # drops people without streams
            for topic in topics:
                self._leave(topic, listener)

    def close(self) -> None:
        """End all streams because the server stops; clients ask again elsewhere."""
        self.is_closing = True
        for listeners in self._following.values():
            for listener in listeners:
                listener.news.set()

    def _places(self, ticket: Ticket) -> tuple[list[Topic], list[Cursor]]:
        topics: list[Topic] = []
        cursors: list[Cursor] = []
        for match_id in ticket.matches:
            match = self._topic(MatchTopic(match_id))
            topics.append(match)
            cursors.append(
                MatchCursor(
                    match,
                    view=ticket.view,
                    seen=_seen_of(ticket, match_id),
                    is_private=match_id in ticket.private,
                )
            )
        if ticket.page is not None:
            page = self._topic(PageTopic(*ticket.page))
            topics.append(page)
            cursors.append(PageCursor(page, seen=ticket.seen))
        return topics, cursors

    def _topic(self, wanted: T) -> T:
        """Return the topic of this channel; if it is new, begin to listen and to look."""
        known = self._topics.get(wanted.channel)
        if isinstance(known, type(wanted)):
            return known
        self._topics[wanted.channel] = wanted
        self._following[wanted.channel] = set()
        if self._broker is not None:
            self._feed = self._feed or Feed(self._broker, self._hear)
            self._feed.add(wanted.channel)
        if self._looker is None:
            self._looker = asyncio.create_task(self._look())
        self._look_now.set()
        return wanted

    def _leave(self, topic: Topic, listener: Listener) -> None:
        self._following[topic.channel].discard(listener)
        if self._following[topic.channel]:
            return
        del self._following[topic.channel], self._topics[topic.channel]
        if self._feed is not None:
            self._feed.discard(topic.channel)
        # The looker ends by itself when no topic is left.
        self._look_now.set()

    def _hear(self, channel: str, data: bytes | str) -> None:
        topic = self._topics.get(channel)
        if topic is None or isinstance(data, str):
            return
        try:
            wants_look = topic.hear(data)
        except (ValueError, TypeError, OSError) as error:
            _log.warning("frame not understood", channel=channel, reason=str(error))
            return
        if wants_look:
            self._look_now.set()
        self._tell(topic)

    def _tell(self, topic: Topic) -> None:
        for listener in self._following.get(topic.channel, ()):
            listener.news.set()

    async def _look(self) -> None:
        """Look at the database now and then, and soon after every hint."""
        try:
            while self._topics:
                await self._look_once()
                try:
                    async with asyncio.timeout(self._look_s):
                        await self._look_now.wait()
                    await asyncio.sleep(SOON_S)
                except TimeoutError:
                    pass
        finally:
            self._looker = None

    async def _look_once(self) -> None:
        self._look_now.clear()
        loop = asyncio.get_running_loop()
        matches = [
            each.match_id for each in self._matches() if each.now is None or not each.now.is_over
        ]
        pages = [
            (each.kind, each.pk) for each in self._topics.values() if isinstance(each, PageTopic)
        ]
        try:
            found = await loop.run_in_executor(
                self._threads, _read_fresh, self._read, matches, pages
            )
        except (DatabaseError, InterfaceError, OperationalError) as error:
            _log.warning("streams not looked after", reason=str(error).strip())
            return
        await self._note(found)

    async def _note(self, found: Snapshot) -> None:
        fresh: list[MatchTopic] = []
        for topic in list(self._topics.values()):
            if isinstance(topic, MatchTopic):
                now = found.matches.get(topic.match_id)
                is_new = now is not None and topic.note(now)
                if now is not None and topic.frame() is None and not now.is_over:
                    fresh.append(topic)
            else:
                page = found.pages.get((topic.kind, topic.pk))
                is_new = page is not None and topic.note(page)
            if is_new:
                self._tell(topic)
        await self._fetch_frames([topic for topic in fresh if topic.now is not None])

    async def _fetch_frames(self, topics: Sequence[MatchTopic]) -> None:
        """Ask the broker for frames that were sent before anybody followed."""
        if self._broker is None or not topics:
            return
        keys = [frame_key(each.match_id, each.now.attempt if each.now else 0) for each in topics]
        try:
            async with Redis.from_url(
                self._broker, socket_timeout=ANSWER_S, socket_connect_timeout=ANSWER_S
            ) as client:
                kept = await client.mget(keys)
        except (RedisError, OSError) as error:
            _log.warning("frames not fetched", reason=str(error))
            return
        for topic, data in zip(topics, kept, strict=True):
            if data:
                self._hear(topic.channel, data)

    def _matches(self) -> list[MatchTopic]:
        return [each for each in self._topics.values() if isinstance(each, MatchTopic)]


def _read_fresh(
    read: Read, matches: Sequence[int], pages: Sequence[tuple[PageKind, int]]
) -> Snapshot:
    close_old_connections()
    return read(matches, pages)


def _seen_of(ticket: Ticket, match_id: int) -> tuple[int, int]:
    """Return the attempt and ply up to which the client knows a match."""
    if ticket.names_matches:
        marks = (each.partition(":") for each in ticket.seen.split(","))
        return _place(next((at for match, _, at in marks if match == str(match_id)), ""))
    return _place(ticket.seen) if len(ticket.matches) == 1 else (0, 0)


def _place(text: str) -> tuple[int, int]:
    """Return the attempt and ply that a message's id holds."""
    attempt, _, ply = text[:20].partition("-")
    is_place = attempt.isascii() and attempt.isdigit() and ply.isascii() and ply.isdigit()
    return (int(attempt), int(ply)) if is_place else (0, 0)
