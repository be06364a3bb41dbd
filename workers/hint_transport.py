"""kombu's Redis transport for hints: a worker takes them and never puts anything.

Whoever may write to the queues can put anything there, and kombu ends the whole worker on the
first message that it cannot read. A hint is worth nothing, so such a message is dropped: the
reconciler sends again.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final, TypeVar

import structlog
from kombu.exceptions import KombuError
from kombu.transport import redis, virtual
from kombu.utils.scheduling import round_robin_cycle

from pentathlon.fleet.announcements import TASKS
from pentathlon.fleet.queues import LADDERS, MATCHES

LOOK_S: Final = 0.1
"""How soon an idle worker notices that it must not read a queue any more."""
HELD_LOOK_S: Final = 0.02
"""How soon a worker that leaves queues out notices that it may read them again.

A batch takes .4 s, and then the slot waits for half of this on average.
"""
UNREADABLE: Final = (AttributeError, IndexError, KeyError, KombuError, TypeError, ValueError)
"""What a message raises that is not JSON, or lacks its fields, or has a body of another kind."""
_KEPT: Final = ("argsrepr", "id", "kwargsrepr", "lang", "task", "traceparent")
T = TypeVar("T")

_log = structlog.stdlib.get_logger(__name__)


class HintMessage(virtual.Message):
    """A message of which only the task and its arguments count.

    It sets no times or limits, runs nothing else and is sent on to nobody, whatever its headers
    say.
    """

    def __init__(
        self,
        payload: dict[str, Any],  # Any: kombu's own
        channel: virtual.Channel | None = None,
        **options: Any,
    ) -> None:
        headers = payload["headers"]
        if headers["task"] not in TASKS:
            raise ValueError(f"no hint: {headers['task']}")
        kept = {name: headers[name] for name in _KEPT if name in headers}
        super().__init__({**payload, "headers": kept}, channel=channel, **options)


def drop_unreadable(channel: virtual.Channel, read: Callable[[], T]) -> T | None:
    """Read and deliver a message; drop and log one that cannot be read."""
    held = _held(channel)
    try:
        return read()
    except UNREADABLE as error:
        _log.warning("unreadable message dropped", reason=repr(error))
        # One that failed late counts as delivered, and would hold a slot for ever.
        for tag in _held(channel) - held:
            channel.qos.ack(tag)
    return None


def _held(channel: virtual.Channel) -> set[str]:
    """Return the tags of messages that were delivered and are not done with."""
    return set(channel.qos._delivered or ()) - set(channel.qos._dirty or ())


class HintChannel(redis.Channel):
    """Reads queues and keeps no books: the ledger, not the broker, knows what was done."""

    ack_emulation = False
    do_restore = False
    priority_steps = [0]

    def _brpop_start(self, timeout: float | None = None) -> None:
        look_s = getattr(self._queue_cycle, "look_s", None)  # type: ignore[attr-defined]  # as below
        super()._brpop_start(timeout or look_s)  # type: ignore[misc]

    def _brpop_read(self, **options: Any) -> object:  # Any: kombu's own
        read = super()._brpop_read  # type: ignore[misc]  # the stubs lack it
        return drop_unreadable(self, partial(read, **options))


class HintTransport(redis.Transport):
    """Connects to Redis as its owner."""

    Channel = HintChannel


class TakingChannel(HintChannel):
    """Takes messages and touches nothing else; see `pentathlon.fleet.queues`."""

    Message = HintMessage

    def _queue_bind(self, *_: object) -> None:
        """Do nothing: messages are put straight into their queues."""

    def _size(self, queue: str) -> int:
        """Return 0: nobody here needs to know, and counting takes three more rights."""
        return 0


class TakingTransport(HintTransport):
    """Connects to Redis as a user that may take from the queues."""

    Channel = TakingChannel


class HintQueues(round_robin_cycle):  # type: ignore[type-arg]  # generic in the stubs alone
    """Gives kombu's Redis transport the queues to wait at before each read, in turns.

    It leaves out the queues of matches as long as `is_held` says so.
    """

    def __init__(
        self, *, is_held: Callable[[], bool], matches: str = MATCHES, ladders: str = LADDERS
    ) -> None:
        super().__init__()
        self._matches = matches
        self._ladders = ladders
        self._is_held = is_held
        self.look_s = LOOK_S
        """How long to wait at the queues that were given last."""

    def consume(self, n: int) -> list[str]:  # type: ignore[override]  # the stubs are wrong
        """Return up to `n` queues to wait at now; the first one with a hint is read."""
        is_held = self._is_held()
        self.look_s = HELD_LOOK_S if is_held else LOOK_S
        left_out = (self._matches, self._ladders) if is_held else ()
        read = [each for each in super().consume(n) if each not in left_out]
        return sorted(read, key=lambda each: each == self._ladders)
