"""kombu's transport to a site that gives hints itself, for workers without a broker.

It waits on Celery's event loop, as Redis' transport does: a signal, and a slot that becomes free,
are noticed while a request waits.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable
from functools import partial
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
from workers.remote.adapter import ANSWER_S, CONNECT_S, RemotePlatform, TokenRefused

WAIT_S: Final = 2.0
"""How long one request for hints waits."""
LOOK_S: Final = 5.0
"""The time between two looks whether a broker that was away answers again."""
_PING_S: Final = 1.0
_QUICK_S: Final = 0.5
"""An empty answer that comes sooner than this did not wait for a hint."""
_LONGEST_PAUSE_S: Final = 30.0

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
        self._platform: RemotePlatform
        self._idle_slots: Callable[[], int]
        self._broker: str | None
        self._loop: Any = None  # Any: kombu's hub
        self._site: HTTPConnection | None = None
        self._asked_at = 0.0
        self._is_waiting = False
        self._asked: list[str] = []
        """The queues of the last request."""
        self._due = 0.0
        self._look_at = time.monotonic() + LOOK_S
        self._failures = 0

    def register_with_event_loop(self, connection: object, loop: Any) -> None:
        """Ask whenever the loop turns, which is at least once a second."""
        # Celery makes a transport, only to look at it, before there are options.
        told = self.client.transport_options
        self._platform, self._idle_slots = told["platform"], told["idle_slots"]
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
        if self._is_waiting and now > self._asked_at + WAIT_S + ANSWER_S:
            self._note_failure(PlatformAway("The site does not answer."))
            return
        idle = self._idle_slots()
        queues = [queue for each in self.channels for queue in each.queues()]
        if self._is_waiting:
            if set(queues) <= set(self._asked):
                return
            # A slot that was held may play again. What the site answers now is lost, but for
            # nobody: it reads hints from the database.
            self._hang_up()
        if now >= self._due and idle > 0 and queues and not self._platform.has_refused:
            try:
                self._send(queues, most=idle)
            except (OSError, HTTPException) as error:
                self._note_failure(PlatformAway(str(error)))

    def _send(self, queues: list[str], *, most: int) -> None:
        is_new = self._site is None
        site = self._site or _connect(self._platform.address)
        # The first answer comes at once: what TLS sends in the beginning would pass for an answer
        # that has begun, and all slots would wait for the rest.
        told = {"queues": queues, "most": most, "wait_s": 0.0 if is_new else WAIT_S}
        path = urlsplit(self._platform.address).path + "/api/v1/fleet/hints/"
        headers = {**self._platform.headers, "Content-Type": "application/json"}
        try:
            site.request("POST", path, json.dumps(told).encode(), headers)
        except (OSError, HTTPException):
            self._hang_up()
            if is_new:
                raise
            # The site ends connections that were idle for some seconds.
            self._send(queues, most=most)
            return
        self._site, self._asked_at, self._is_waiting = site, time.monotonic(), True
        self._asked = queues
        self._loop.add_reader(site.sock, self._read)

    def _read(self) -> None:
        """Read the answer and deliver its messages."""
        site = self._site
        if site is None:
            return
        self._loop.remove_reader(site.sock)
        self._is_waiting = False
        try:
            response = site.getresponse()
            body = response.read()
            if response.will_close:
                self._hang_up()
            if response.status != 200:  # noqa: PLR2004  # OK
                self._platform.refuse(response.status, body)
            messages = [
                (str(each["queue"]), each["message"]) for each in json.loads(body)["messages"]
            ]
        except TokenRefused as refused:
            _log.error("worker token refused", code=refused.code, reason=str(refused))
            return
        except (DomainError, PlatformAway) as error:
            # The refusal is not about the token: the site may run another release for a while.
            self._note_failure(error)
            return
        except (OSError, HTTPException, LookupError, TypeError, ValueError) as error:
            self._note_failure(PlatformAway(repr(error)))
            return
        self._failures = 0
        if not messages and time.monotonic() - self._asked_at < _QUICK_S:
            self._pause(_QUICK_S)
        for queue, message in messages:
            drop_unreadable(self.channels[-1], partial(self._deliver, message, queue))

    def _note_failure(self, error: Exception) -> None:
        self._hang_up()
        if not self._failures:
            _log.warning("no hints for now", reason=str(error))
        self._failures += 1
        self._pause(min(_LONGEST_PAUSE_S, _QUICK_S * 2.0**self._failures))

    def _pause(self, seconds: float) -> None:
        """Wait for about this long, at random, so that workers do not all ask at once."""
        self._due = time.monotonic() + seconds * random.uniform(0.5, 1.5)

    def _hang_up(self) -> None:
        if self._site is not None:
            if self._is_waiting and self._site.sock is not None:
                self._loop.remove_reader(self._site.sock)
            self._site.close()
        self._site, self._is_waiting = None, False


def _connect(address: str) -> HTTPConnection:
    parts = urlsplit(address)
    kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    site = kind(str(parts.hostname), parts.port, timeout=CONNECT_S)
    site.connect()
    site.sock.settimeout(ANSWER_S)
    return site


def _answers(url: str) -> bool:
    """Return whether a broker answers."""
    try:
        with Redis.from_url(url, socket_timeout=_PING_S, socket_connect_timeout=_PING_S) as broker:
            return bool(broker.ping())
    except (RedisError, OSError):
        return False
