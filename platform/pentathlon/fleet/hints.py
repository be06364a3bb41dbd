"""Hints for workers that wait at the web server instead of at the queue.

A view has checked the worker's token; its answer carries a header that says how long to wait. The
server takes the header off, takes a hint from the queue on the worker's behalf, and answers then:
a worker that waits costs no thread. Under a server that does not know the header, the answer says
that nothing waits, and the worker asks again.

A worker that is not trusted with everything takes nothing from the queue: again and again, it
would have to put back work that only others may do. The view reads waiting work for it from the
database; if there is none, another header lets the worker wait.
"""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, Final, cast

import structlog
from redis.asyncio import Redis
from redis.exceptions import RedisError

from pentathlon.server.clients import wait_until_gone
from pentathlon.server.protocol import Headers, Receive, Scope, Send
from pentathlon.server.protocol import Message as Part

PATH: Final = "/api/v1/fleet/hints/"
HINT_HEADER: Final = "Pentathlon-Hint-Wait"
"""Says for how many seconds to wait for the queue."""
PAUSE_HEADER: Final = "Pentathlon-Hint-Pause"
"""Says for how many seconds to wait without the queue."""
QUEUE_HEADER: Final = "Pentathlon-Hint-Queue"
"""Names the only queue to wait at; without it, the worker waits at all of them."""
FRIENDLIES: Final = "friendly"
"""The queue of friendlies in which a bot is to move."""
MATCHES: Final = "match"
"""The queue of everything else that somebody waits for."""
LADDERS: Final = "ladder"
"""The queue of matches that are played where nothing else waits."""
QUEUES: Final = (FRIENDLIES, MATCHES, LADDERS)
"""The order in which a free slot looks: few friendlies are sent, and people wait for them."""
PAUSE_S: Final = 2.0
MOST_WAITING: Final = 2000
"""The most slots of workers that may wait in one process."""
_HEADER: Final = HINT_HEADER.lower().encode()
_PAUSE: Final = PAUSE_HEADER.lower().encode()
_QUEUE: Final = QUEUE_HEADER.lower().encode()
_CONNECT_S: Final = 2.0
_ANSWER_S: Final = 60.0
"""Seconds to wait for an answer: longer than any worker waits, unlike the package's own limit."""

_log = structlog.stdlib.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hint:
    """Ids of waiting work that a worker may look at."""

    match_ids: Sequence[int] = ()
    friendly_ids: Sequence[int] = ()
    analysis_ids: Sequence[int] = ()
    """Matches whose win-chance curves are wanted."""
    lent_ids: Sequence[int] = ()
    """The same, on slots that are lent although matches wait."""

    def __bool__(self) -> bool:
        return bool(self.match_ids or self.friendly_ids or self.analysis_ids or self.lent_ids)

    def to_json(self) -> dict[str, list[int]]:
        """Return the hint as the site sends it."""
        return {name: list(ids) for name, ids in asdict(self).items()}

    @classmethod
    def from_json(cls, told: dict[str, Any]) -> Hint:  # Any: JSON
        """Read what `to_json` made; a site of the previous release names matches only."""
        return cls(**{each.name: tuple(map(int, told.get(each.name, ()))) for each in fields(cls)})


_NAMED_BY: Final = {
    "play_matches": "match_ids",
    "move_bots": "friendly_ids",
    "analyse_match": "analysis_ids",
}
"""What the argument of a task names, by the name of the task."""


def read_hint(message: bytes) -> Hint:
    """Return the hint in a message of the queue; an empty one if the message is something else.

    A message is what Celery sends for a task: JSON around arguments in base64.
    """
    try:
        told = json.loads(message)
        named = _NAMED_BY[told["headers"]["task"]]
        arguments, named_arguments, *_ = json.loads(base64.b64decode(told["body"]))
        (ids,) = arguments
        if named_arguments.get("is_lent"):
            named = "lent_ids"
        return Hint.from_json({named: ids if isinstance(ids, list) else [ids]})
    except (AttributeError, KeyError, TypeError, ValueError):
        return Hint()


class HintDesk:
    """An ASGI application that answers like the one behind it, and waits when that one says so."""

    def __init__(
        self, site: Callable[..., Any], *, broker: str | None, queues: Sequence[str]
    ) -> None:
        # Any: an application
        self._site = site
        self._broker = broker
        self._queues = list(queues)
        self._client: Redis | None = None
        self._waiting = 0
        self._closing: asyncio.Event | None = None

    def close(self) -> None:
        """Answer all waiting workers because the server stops; they ask again elsewhere."""
        if self._closing is not None:
            self._closing.set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        taken: list[Headers] = []

        async def pass_on(part: Part) -> None:
            if (
                part["type"] == "http.response.start"
                and {_HEADER, _PAUSE} & dict(part["headers"]).keys()
            ):
                taken.append(list(part["headers"]))
            elif not taken:
                await send(part)

        await self._site(scope, receive, pass_on)
        if not taken:
            return
        said = dict(taken[0])
        reads_queue = _HEADER in said
        wait_s = float(said[_HEADER if reads_queue else _PAUSE])
        queues = [said[_QUEUE].decode()] if _QUEUE in said else self._queues
        found = await self._wait(wait_s, receive, queues=queues if reads_queue else [])
        hint = Hint() if found is None else read_hint(found[1])
        body = json.dumps(hint.to_json()).encode()
        dropped = {_HEADER, _PAUSE, _QUEUE, b"content-length"}
        headers = [pair for pair in taken[0] if pair[0] not in dropped]
        headers.append((b"content-length", str(len(body)).encode()))
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    async def _wait(
        self, wait_s: float, receive: Receive, *, queues: Sequence[str]
    ) -> tuple[bytes, bytes] | None:
        """Take a message from a queue; None if none comes in time, or the worker hangs up."""
        if self._waiting >= MOST_WAITING or (queues and self._broker is None):
            return None
        self._closing = self._closing or asyncio.Event()
        pop = asyncio.create_task(self._pop(queues, wait_s) if queues else _sleep(wait_s))
        gone = asyncio.create_task(wait_until_gone(receive))
        closing = asyncio.create_task(self._closing.wait())
        self._waiting += 1
        try:
            await asyncio.wait({pop, gone, closing}, return_when=asyncio.FIRST_COMPLETED)
            if pop.done() and not gone.done():
                return pop.result()
            if pop.done() and (found := pop.result()) is not None:
                await self._put_back(*found)
            return None
        finally:
            self._waiting -= 1
            for task in (pop, gone, closing):
                task.cancel()

    async def _pop(self, queues: Sequence[str], wait_s: float) -> tuple[bytes, bytes] | None:
        try:
            # A timeout of 0 would wait forever.
            found = await self._redis().brpop(list(queues), timeout=max(0.01, wait_s))
        except (RedisError, OSError, TimeoutError) as error:
            _log.warning("hints not read", reason=str(error))
            await asyncio.sleep(min(1.0, wait_s))
            return None
        return None if found is None else cast(tuple[bytes, bytes], tuple(found))

    async def _put_back(self, queue: bytes, message: bytes) -> None:
        """Put a hint back for the next worker; if that fails, the reconciler sends it again."""
        try:
            await self._redis().rpush(queue.decode(), message)
        except (RedisError, OSError, TimeoutError):
            return

    def _redis(self) -> Redis:
        if self._client is None:
            self._client = Redis.from_url(
                str(self._broker), socket_connect_timeout=_CONNECT_S, socket_timeout=_ANSWER_S
            )
        return self._client


async def _sleep(seconds: float) -> None:
    await asyncio.sleep(seconds)
