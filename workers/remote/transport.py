"""kombu's transport to a site that gives hints itself, for workers without a broker.

It waits on Celery's event loop, as Redis' transport does: a signal, and a slot that becomes free,
are noticed while a request waits.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Any, Final
from urllib.parse import urlsplit

import structlog
from kombu.transport import virtual
from kombu.utils.scheduling import cycle_by_name
from redis import Redis, RedisError

from pentathlon.core.errors import DomainError
from workers.hint_transport import HintMessage, drop_unreadable
from workers.port import PlatformAway
from workers.remote.client import ANSWER_S, CONNECT_S, SiteClient, TokenRefused

WAIT_S: Final = 2.0
"""How long one request for hints waits."""
LOOK_S: Final = 5.0
"""The time between two looks whether a broker that was away answers again."""
_PING_S: Final = 1.0
_QUICK_S: Final = 0.5
"""An empty answer that comes sooner than this did not wait for a hint."""
_LONGEST_PAUSE_S: Final = 30.0
_FAILURES: Final = (
    *(DomainError, PlatformAway, OSError, HTTPException),
    *(LookupError, TypeError, ValueError),  # the answer is not the site's own
)

_log = structlog.stdlib.get_logger(__name__)


class SiteChannel(virtual.Channel):
    """The queues that the worker reads, in the order of its strategy."""

    Message = HintMessage
    do_restore = False
    queue_order_strategy: Any = "priority"  # Any: a name or a class
    from_transport_options = (*virtual.Channel.from_transport_options, "queue_order_strategy")

    def queues(self) -> list[str]:
        """Return the queues to ask for now; none if nothing more can be taken."""
        if not self._active_queues or not self.qos.can_consume():
            return []
        strategy = cycle_by_name(self.queue_order_strategy)()
        strategy.update(self._active_queues)
        return list(strategy.consume(len(self._active_queues)))


class SiteTransport(virtual.Transport):
    """Asks a site for hints, one request at a time."""

    Channel = SiteChannel
    client: Any  # kombu's connection
    channels: Any  # a list of ours
    # Celery honours `worker_disable_prefetch` for this type alone.
    driver_type = "redis"
    driver_name = "site"
    implements = virtual.Transport.implements.extend(asynchronous=True)

    def __init__(self, client: Any, **options: Any) -> None:  # Any: kombu's own
        super().__init__(client, **options)
        self._site: SiteClient
        self._idle_slots: Callable[[], int]
        self._broker: str | None
        self._loop: Any = None  # Any: kombu's hub
        self._connection: HTTPConnection | None = None
        self._asked: list[str] = []
        """The queues of the request that waits; none if no request does."""
        self._asked_at = 0.0
        self._due = 0.0
        self._look_at = time.monotonic() + LOOK_S
        self._failures = 0

    def register_with_event_loop(self, connection: object, loop: Any) -> None:
        """Ask whenever the loop turns, which is at least once a second."""
        # Celery makes a transport, only to look at it, before there are options.
        told = self.client.transport_options
        self._site, self._idle_slots = told["platform"].site, told["idle_slots"]
        self._broker = told["broker"]
        self._loop = loop
        loop.on_tick.add(self.ask)

    def close_connection(self, connection: Any) -> None:  # Any: kombu's own
        """End a request that waits."""
        self._hang_up()
        super().close_connection(connection)

    def ask(self) -> None:
        """Ask for as many hints as slots are idle, unless a request waits already."""
        now = time.monotonic()
        if now >= self._look_at:
            self._look_at = now + LOOK_S
            if self._broker is not None and _answers(self._broker):
                raise ConnectionResetError("The broker answers again.")
        idle = self._idle_slots()
        queues = [queue for channel in self.channels for queue in channel.queues()]
        with self._patience():
            if self._asked:
                if now > self._asked_at + WAIT_S + ANSWER_S:
                    raise PlatformAway("The site does not answer.")
                if set(queues) <= set(self._asked):
                    return
                # A slot that was held may play again. What the site answers now is lost, but for
                # nobody: it reads hints from the database.
                self._hang_up()
            if now >= self._due and idle > 0 and queues and not self._site.has_refused:
                self._send(queues, most=idle)

    def _send(self, queues: list[str], *, most: int) -> None:
        is_new = self._connection is None
        connection = self._connection = self._connection or _connect(self._site.address)
        # The first answer comes at once: what TLS sends in the beginning would pass for an answer
        # that has begun, and all slots would wait for the rest.
        told = {"queues": queues, "most": most, "wait_s": 0.0 if is_new else WAIT_S}
        path = urlsplit(self._site.address).path + "/api/v1/fleet/hints/"
        headers = {**self._site.headers, "Content-Type": "application/json"}
        try:
            connection.request("POST", path, json.dumps(told).encode(), headers)
        except (OSError, HTTPException):
            self._hang_up()
            if is_new:
                raise
            # The site ends connections that were idle for some seconds.
            self._send(queues, most=most)
            return
        self._asked, self._asked_at = queues, time.monotonic()
        self._loop.add_reader(connection.sock, self._read)

    def _read(self) -> None:
        """Read the answer and deliver its messages."""
        if self._connection is None:
            return
        self._loop.remove_reader(self._connection.sock)
        self._asked = []
        messages: list[tuple[str, Any]] = []  # Any: JSON
        with self._patience():
            response = self._connection.getresponse()
            body = response.read()
            if response.will_close:
                self._hang_up()
            if response.status != HTTPStatus.OK:
                self._site.refuse(response.status, body)
            told = json.loads(body)["messages"]
            messages = [(str(each["queue"]), each["message"]) for each in told]
            self._failures = 0
            if not messages and time.monotonic() - self._asked_at < _QUICK_S:
                self._pause(_QUICK_S)
        for queue, message in messages:
            drop_unreadable(self.channels[-1], partial(self._deliver, message, queue))

    @contextmanager
    def _patience(self) -> Iterator[None]:
        """Ask more slowly after each failure; log the first."""
        try:
            yield
        except TokenRefused as refused:
            _log.error("worker token refused", code=refused.code, reason=str(refused))
        except _FAILURES as error:
            # A refusal here is not about the token: the site may run another release for a while.
            self._hang_up()
            if not self._failures:
                _log.warning("no hints for now", reason=str(error) or repr(error))
            self._failures += 1
            self._pause(min(_LONGEST_PAUSE_S, _QUICK_S * 2.0**self._failures))

    def _pause(self, seconds: float) -> None:
        """Wait for about this long, at random, so that workers do not all ask at once."""
        self._due = time.monotonic() + seconds * random.uniform(0.5, 1.5)

    def _hang_up(self) -> None:
        if self._connection is not None:
            if self._asked and self._connection.sock is not None:
                self._loop.remove_reader(self._connection.sock)
            self._connection.close()
        self._connection, self._asked = None, []


def _connect(address: str) -> HTTPConnection:
    parts = urlsplit(address)
    kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    connection = kind(str(parts.hostname), parts.port, timeout=CONNECT_S)
    connection.connect()
    connection.sock.settimeout(ANSWER_S)
    return connection


def _answers(url: str) -> bool:
    """Return whether a broker answers."""
    try:
        with Redis.from_url(url, socket_timeout=_PING_S, socket_connect_timeout=_PING_S) as broker:
            return bool(broker.ping())
    except (RedisError, OSError):
        return False
